#pragma once
#include <cmath>

#include "../gram.hpp"

namespace wm {

/// A symmetric kernel matrix somebody else has computed, one triangle of it: the entries of each row up to the
/// diagonal, row after row. In double precision it takes the memory of a whole matrix in single precision.
class TriangleGram : public Gram {
 public:
  TriangleGram(const double* values, Index size) : values_(values), size_(size) {}

  Index rows() const override { return size_; }
  Index columns() const override { return size_; }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    copy(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    copy(which, columns, out);
  }
  void diagonal(double* out) const override {
    for (Index r = 0; r < size_; ++r) out[r] = row(r)[r];
  }

 private:
  const double* row(Index r) const { return values_ + std::ptrdiff_t(r) * (r + 1) / 2; }

  /// Entries left of the diagonal row by row, the others column by column: neighbours lie beside each other then.
  template <class Out>
  void copy(std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    for (std::size_t a = 0; a < which.size(); ++a)
      for (std::size_t b = 0; b < columns.size(); ++b)
        if (columns[b] <= which[a]) out[a * columns.size() + b] = Out(row(which[a])[columns[b]]);
    for (std::size_t b = 0; b < columns.size(); ++b)
      for (std::size_t a = 0; a < which.size(); ++a)
        if (columns[b] > which[a]) out[a * columns.size() + b] = Out(row(columns[b])[which[a]]);
  }

  const double* values_;
  Index size_;
};

}  // namespace wm
