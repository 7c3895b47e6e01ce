#pragma once
#include <memory>

#include "precomputed.hpp"

namespace wm {

/// A Gram whose entries in single precision have been computed beforehand; those in double come from the Gram itself.
class TabulatedGram : public Gram {
 public:
  TabulatedGram(PrecomputedGram<float>::Matrix table, std::shared_ptr<const Gram> exact)
      : table_(table), exact_(std::move(exact)) {}

  Index rows() const override { return exact_->rows(); }
  Index columns() const override { return exact_->columns(); }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    table_.block(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    exact_->block(which, columns, out);
  }
  void diagonal(double* out) const override { exact_->diagonal(out); }
  double rounding(Arithmetic precision) const override { return exact_->rounding(precision); }
  Index preferred_block() const override { return exact_->preferred_block(); }

 private:
  PrecomputedGram<float> table_;
  std::shared_ptr<const Gram> exact_;
};

}  // namespace wm
