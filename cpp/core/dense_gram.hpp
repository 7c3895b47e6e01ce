#pragma once
// A small square matrix in somebody's memory, as the inner solver of a decomposition sees it.

#include <type_traits>

#include "gram.hpp"

namespace wm {

template <class Real>
class DenseGram final : public Gram {
 public:
  DenseGram(Index n, const Real* values) : n_(n), values_(values) {}

  Real operator()(Index r, Index c) const { return values_[static_cast<std::size_t>(r) * n_ + c]; }

  Index rows() const override { return n_; }
  Index columns() const override { return n_; }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    copy(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    copy(which, columns, out);
  }
  const float* single_row(Index r) const override { return row_as<float>(r); }
  const double* double_row(Index r) const override { return row_as<double>(r); }
  void diagonal(double* out) const override {
    for (Index r = 0; r < n_; ++r) out[r] = static_cast<double>((*this)(r, r));
  }

 private:
  template <class Out>
  const Out* row_as(Index r) const {
    if constexpr (std::is_same_v<Real, Out>) return values_ + static_cast<std::size_t>(r) * n_;
    return nullptr;
  }

  template <class Out>
  void copy(std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    for (Index r : which)
      for (Index c : columns) *out++ = static_cast<Out>((*this)(r, c));
  }

  Index n_;
  const Real* values_;
};

}  // namespace wm
