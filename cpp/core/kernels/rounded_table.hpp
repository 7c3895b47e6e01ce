#pragma once
#include <atomic>
#include <memory>

#include "precomputed.hpp"

namespace wm {

/// A Gram whose entries somebody has computed in single precision; where double is wanted, they are computed anew.
class RoundedTableGram : public Gram {
 public:
  RoundedTableGram(std::shared_ptr<const Gram> exact, PrecomputedGram<float>::Matrix table)
      : exact_(std::move(exact)), table_(table) {
    entry_work = exact_->entry_work;
  }

  Index rows() const override { return exact_->rows(); }
  Index columns() const override { return exact_->columns(); }

  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    table_.block(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    computed_ += static_cast<std::int64_t>(which.size() * columns.size());
    exact_->block(which, columns, out);
  }
  void symmetric_block(std::span<const Index> points, float* out) const override {
    table_.symmetric_block(points, out);
  }
  void symmetric_block(std::span<const Index> points, double* out) const override {
    computed_ += static_cast<std::int64_t>(points.size() * (points.size() + 1) / 2);
    exact_->symmetric_block(points, out);
  }
  void scatter(std::span<const Index> which, std::span<const Index> columns,
               std::span<double* const> out) const override {
    computed_ += static_cast<std::int64_t>(which.size() * columns.size());
    exact_->scatter(which, columns, out);
  }
  std::int64_t computed() const override { return computed_; }
  bool stored(Arithmetic precision) const override { return precision == Arithmetic::Single; }
  const float* single_row(Index row) const override { return table_.single_row(row); }
  void accumulate(std::span<const Index> rows, std::span<const double> weights, std::span<const Index> columns,
                  double* out) const override {
    table_.accumulate(rows, weights, columns, out);
  }
  void diagonal(double* out) const override { exact_->diagonal(out); }
  double rounding(Arithmetic precision) const override { return exact_->rounding(precision); }
  Index preferred_block() const override { return exact_->preferred_block(); }

 private:
  const std::shared_ptr<const Gram> exact_;
  const PrecomputedGram<float> table_;
  mutable std::atomic<std::int64_t> computed_ = 0;
};

}  // namespace wm
