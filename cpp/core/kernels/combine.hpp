#pragma once
// Kernels made of kernels, entry by entry on bound Grams: each part may see the data through a transformation of its
// own.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "../gram.hpp"
#include "../lease.hpp"
#include "../simd.hpp"

namespace wm {

using GramPointer = std::shared_ptr<const Gram>;

/// Calls use(first, rows) on few enough rows at a time for a second block of them to take little room.
template <class Use>
void for_some_rows(std::span<const Index> which, std::span<const Index> columns, Use use) {
  constexpr std::size_t entries = std::size_t{1} << 17;
  const std::size_t at_once = std::max<std::size_t>(1, entries / (columns.size() + 1));
  for (std::size_t first = 0; first < which.size(); first += at_once)
    use(first, which.subspan(first, std::min(at_once, which.size() - first)));
}

/// Operation(left, right) -> left entry by entry, in place: operation(left, right, count).
template <class Operation>
class BinaryGram : public Gram {
 public:
  BinaryGram(GramPointer left, GramPointer right) : left_(std::move(left)), right_(std::move(right)) {}

  Index rows() const override { return left_->rows(); }
  Index columns() const override { return left_->columns(); }

  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    combine(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    combine(which, columns, out);
  }
  void diagonal(double* out) const override {
    Lease<double> other(rows());
    left_->diagonal(out);
    right_->diagonal(other.data());
    Operation::apply(out, other.data(), rows());
  }
  double rounding(Arithmetic precision) const override {
    return Gram::rounding(precision) + Operation::rounding(*left_, *right_, precision);
  }
  Index preferred_block() const override { return std::max(left_->preferred_block(), right_->preferred_block()); }

 private:
  template <class T>
  void combine(std::span<const Index> which, std::span<const Index> columns, T* out) const {
    left_->block(which, columns, out);
    for_some_rows(which, columns, [&](std::size_t first, std::span<const Index> some) {
      const std::size_t size = some.size() * columns.size();
      Lease<T> other(size);
      right_->block(some, columns, other.data());
      Operation::apply(out + first * columns.size(), other.data(), size);
    });
  }

  GramPointer left_, right_;
};

struct Add {
  static double rounding(const Gram& left, const Gram& right, Arithmetic precision) {
    return left.rounding(precision) + right.rounding(precision);
  }
  template <class T>
  static void apply(T* left, const T* right, std::size_t count) {
    for (std::size_t b = 0; b < count; ++b) left[b] += right[b];
  }
};

struct Multiply {
  static double rounding(const Gram& left, const Gram& right, Arithmetic precision) {
    return left.rounding(precision) * right.largest_entry() + left.largest_entry() * right.rounding(precision);
  }
  template <class T>
  static void apply(T* left, const T* right, std::size_t count) {
    for (std::size_t b = 0; b < count; ++b) left[b] *= right[b];
  }
};

/// k(x, z) = k1(x, z) + k2(x, z).
using SumGram = BinaryGram<Add>;

/// k(x, z) = k1(x, z) k2(x, z).
using ProductGram = BinaryGram<Multiply>;

/// k(x, z) = value.
class ConstantGram : public Gram {
 public:
  ConstantGram(Index rows, Index columns, double value) : rows_(rows), columns_(columns), value_(value) {}

  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    std::fill_n(out, which.size() * columns.size(), float(value_));
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    std::fill_n(out, which.size() * columns.size(), value_);
  }
  void diagonal(double* out) const override { std::fill_n(out, rows_, value_); }

 private:
  Index rows_, columns_;
  double value_;
};

/// k(x, z) = factor * k1(x, z).
class ScaledGram : public Gram {
 public:
  ScaledGram(double factor, GramPointer part) : factor_(factor), part_(std::move(part)) {}

  Index rows() const override { return part_->rows(); }
  Index columns() const override { return part_->columns(); }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    part_->block(which, columns, out);
    scale(out, which.size() * columns.size());
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    part_->block(which, columns, out);
    scale(out, which.size() * columns.size());
  }
  void diagonal(double* out) const override {
    part_->diagonal(out);
    scale(out, rows());
  }
  double rounding(Arithmetic precision) const override {
    return Gram::rounding(precision) + factor_ * part_->rounding(precision);
  }
  Index preferred_block() const override { return part_->preferred_block(); }

 private:
  template <class T>
  void scale(T* values, std::size_t count) const {
    for (std::size_t b = 0; b < count; ++b) values[b] = T(factor_ * values[b]);
  }

  double factor_;
  GramPointer part_;
};

/// k(x, z) = exp(k1(x, z)). The exponent is taken in double: exp multiplies its absolute error into a relative one.
class ExponentialGram : public Gram {
 public:
  explicit ExponentialGram(GramPointer part) : part_(std::move(part)) {}

  Index rows() const override { return part_->rows(); }
  Index columns() const override { return part_->columns(); }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    for_some_rows(which, columns, [&](std::size_t first, std::span<const Index> some) {
      const std::size_t size = some.size() * columns.size();
      Lease<double> exponents(size);
      block(some, columns, exponents.data());
      std::copy_n(exponents.data(), size, out + first * columns.size());
    });
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    part_->block(which, columns, out);
    exponentiate(out, which.size() * columns.size());
  }
  void diagonal(double* out) const override {
    part_->diagonal(out);
    exponentiate(out, rows());
  }
  double rounding(Arithmetic precision) const override {
    return Gram::rounding(precision) + largest_entry() * part_->rounding(Arithmetic::Double);
  }
  Index preferred_block() const override { return part_->preferred_block(); }

 private:
  static void exponentiate(double* values, std::size_t count) {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t b = 0; b < count; ++b) values[b] = simd::exp(values[b]);
    });
  }

  GramPointer part_;
};

/// k(x, z) = k1(x, z) / sqrt(k1(x, x) k1(z, z)), the cosine of the angle between two points in the feature space.
class NormalizedGram : public Gram {
 public:
  /// The squared lengths k1(x, x) of the points along the rows and along the columns, all positive.
  NormalizedGram(GramPointer part, std::vector<double> row_squares, std::vector<double> column_squares)
      : part_(std::move(part)), row_squares_(std::move(row_squares)), column_squares_(std::move(column_squares)) {}

  Index rows() const override { return part_->rows(); }
  Index columns() const override { return part_->columns(); }
  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    part_->block(which, columns, out);
    normalize(which, columns, out);
  }
  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    part_->block(which, columns, out);
    normalize(which, columns, out);
  }
  void diagonal(double* out) const override { std::fill_n(out, rows(), 1.0); }
  double rounding(Arithmetic precision) const override {
    return Gram::rounding(precision) + part_->rounding(precision) / part_->largest_entry();
  }
  Index preferred_block() const override { return part_->preferred_block(); }

 private:
  template <class T>
  void normalize(std::span<const Index> which, std::span<const Index> columns, T* out) const {
    for (const Index row : which) {
      const double row_square = row_squares_[row];
      for (const Index column : columns) {
        *out = T(*out / std::sqrt(row_square * column_squares_[column]));
        ++out;
      }
    }
  }

  GramPointer part_;
  std::vector<double> row_squares_, column_squares_;
};

}  // namespace wm
