#pragma once
#include <algorithm>
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
  void symmetric_block(std::span<const Index> points, float* out) const override { mirror(points, out); }
  void symmetric_block(std::span<const Index> points, double* out) const override { mirror(points, out); }
  bool stored(Arithmetic) const override { return has_plain_rows(); }
  const float* single_row(Index row) const override { return plain_row_as<float>(row); }
  const double* double_row(Index row) const override { return plain_row_as<double>(row); }
  double rounding(Arithmetic precision) const override {
    return std::is_same_v<T, float> && precision == Arithmetic::Single ? 0.0 : Gram::rounding(precision);
  }
  void accumulate(std::span<const Index> rows, std::span<const double> weights, std::span<const Index> columns,
                  double* out) const override {
    if (!has_plain_rows()) return Gram::accumulate(rows, weights, columns, out);
    const bool neighbours =
        std::ranges::adjacent_find(columns, [](Index b, Index next) { return next != b + 1; }) == columns.end();
    const auto add = [&](auto at) {
      std::size_t a = 0;
      for (; a + together <= rows.size(); a += together)
        add_rows<together>(&rows[a], &weights[a], columns.size(), at, out);
      for (; a < rows.size(); ++a) add_rows<1>(&rows[a], &weights[a], columns.size(), at, out);
    };
    if (columns.empty()) return;
    if (neighbours)
      add([first = columns[0]](std::size_t b) WM_INLINE_LAMBDA { return first + b; });
    else
      add([columns](std::size_t b) WM_INLINE_LAMBDA { return std::size_t(columns[b]); });
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

  /// Half of the entries, which lie far apart in memory, and the other half from there.
  template <class Out>
  void mirror(std::span<const Index> points, Out* out) const {
    constexpr std::size_t tile = 16;
    const std::size_t n = points.size();
    for (std::size_t a = 0; a < n; ++a) copy(points.subspan(a, 1), points.subspan(a), out + a * n + a);
    Out turned[tile][tile];  // lines of `out` may displace each other from a near cache: each is fetched once
    for (std::size_t a = 0; a < n; a += tile)
      for (std::size_t b = a; b < n; b += tile) {
        const std::size_t high = std::min(tile, n - a), wide = std::min(tile, n - b);
        for (std::size_t i = 0; i < high; ++i)
          for (std::size_t j = 0; j < wide; ++j) turned[j][i] = out[(a + i) * n + b + j];
        for (std::size_t j = 0; j < wide; ++j) std::copy_n(turned[j], std::min(high, b + j - a), out + (b + j) * n + a);
      }
  }

  static constexpr int together = 4;  // rows added at a time, so that `columns` and `out` are read once for all of them

  /// out[b] += weights[0] K[rows[0], at(b)] + ... over `count` rows, straight from where they are stored.
  template <int count, class At>
  void add_rows(const Index* rows, const double* weights, std::size_t width, At at, double* out) const {
    const T* values[count];
    for (int a = 0; a < count; ++a) values[a] = plain_row(rows[a]);
    simd::on_avx512([=]() WM_INLINE_LAMBDA {
      for (std::size_t b = 0; b < width; ++b) {
        double sum = out[b];
        for (int a = 0; a < count; ++a) sum += weights[a] * double(values[a][at(b)]);
        out[b] = sum;
      }
    });
  }

  Matrix matrix_;
  bool some_;
  std::vector<Index> columns_;
};

}  // namespace wm
