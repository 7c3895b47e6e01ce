#pragma once
#include <vector>

#include "../gram.hpp"

namespace wm {

/// A kernel matrix somebody else has computed, borrowed with any strides. Its columns are all of the matrix's or some.
template <class T>
class PrecomputedGram : public Gram {
 public:
  struct Matrix {
    const T* values;
    Index rows, columns;
    std::ptrdiff_t row_stride, column_stride;
  };

  explicit PrecomputedGram(Matrix matrix) : matrix_(matrix), some_(false) {}
  PrecomputedGram(Matrix matrix, std::vector<Index> columns)
      : matrix_(matrix), some_(true), columns_(std::move(columns)) {}

  Index rows() const override { return matrix_.rows; }
  Index columns() const override { return some_ ? Index(columns_.size()) : matrix_.columns; }

  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    copy(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    copy(which, columns, out);
  }
  void diagonal(double* out) const override {
    for (Index r = 0; r < rows(); ++r) out[r] = entry(r, r);
  }

 private:
  T entry(Index row, Index column) const {
    const std::ptrdiff_t stored = some_ ? columns_[column] : column;
    return matrix_.values[row * matrix_.row_stride + stored * matrix_.column_stride];
  }

  template <class Out>
  void copy(std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    for (const Index row : which)
      for (const Index column : columns) *out++ = Out(entry(row, column));
  }

  Matrix matrix_;
  bool some_;
  std::vector<Index> columns_;
};

}  // namespace wm
