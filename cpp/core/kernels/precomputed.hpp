#pragma once
#include <type_traits>
#include <vector>

#include "../gram.hpp"
#include "../simd.hpp"

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
  bool stored() const override { return has_plain_rows(); }
  const float* single_row(Index row) const override { return plain_row_as<float>(row); }
  const double* double_row(Index row) const override { return plain_row_as<double>(row); }
  double rounding(Arithmetic precision) const override {
    return std::is_same_v<T, float> && precision == Arithmetic::Single ? 0.0 : Gram::rounding(precision);
  }
  void accumulate(std::span<const Index> rows, std::span<const double> weights, std::span<const Index> columns,
                  double* out) const override {
    if (!has_plain_rows()) return Gram::accumulate(rows, weights, columns, out);
    std::size_t a = 0;
    for (; a + together <= rows.size(); a += together) add_rows<together>(&rows[a], &weights[a], columns, out);
    for (; a < rows.size(); ++a) add_rows<1>(&rows[a], &weights[a], columns, out);
  }
  void diagonal(double* out) const override {
    for (Index r = 0; r < rows(); ++r) out[r] = r < columns() ? entry(r, r) : 0.0;
  }

 private:
  T entry(Index row, Index column) const {
    const std::ptrdiff_t stored = some_ ? columns_[column] : column;
    return matrix_.values[row * matrix_.row_stride + stored * matrix_.column_stride];
  }

  /// Whether column c of a row is its c-th value.
  bool has_plain_rows() const { return !some_ && matrix_.column_stride == 1; }
  const T* plain_row(Index row) const { return matrix_.values + row * matrix_.row_stride; }
  template <class Real>
  const Real* plain_row_as(Index row) const {
    if constexpr (std::is_same_v<T, Real>) return has_plain_rows() ? plain_row(row) : nullptr;
    return nullptr;
  }

  template <class Out>
  void copy(std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    for (const Index row : which) {
      if (has_plain_rows()) {
        simd::on_avx512([=, values = plain_row(row)]() WM_INLINE_LAMBDA {
          for (std::size_t b = 0; b < columns.size(); ++b) out[b] = Out(values[columns[b]]);
        });
      } else {
        for (std::size_t b = 0; b < columns.size(); ++b) out[b] = Out(entry(row, columns[b]));
      }
      out += columns.size();
    }
  }

  static constexpr int together = 4;  // rows added at a time, so that `columns` and `out` are read once for all of them

  /// out[b] += weights[0] K[rows[0], columns[b]] + ... over `count` rows, straight from where they are stored.
  template <int count>
  void add_rows(const Index* rows, const double* weights, std::span<const Index> columns, double* out) const {
    const T* values[count];
    for (int a = 0; a < count; ++a) values[a] = plain_row(rows[a]);
    simd::on_avx512([=]() WM_INLINE_LAMBDA {
      for (std::size_t b = 0; b < columns.size(); ++b) {
        double sum = out[b];
        for (int a = 0; a < count; ++a) sum += weights[a] * double(values[a][columns[b]]);
        out[b] = sum;
      }
    });
  }

  Matrix matrix_;
  bool some_;
  std::vector<Index> columns_;
};

}  // namespace wm
