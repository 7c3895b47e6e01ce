#pragma once
// The Cholesky factor of a symmetric positive semi-definite matrix, R'R = A + ridge I with R upper triangular, that
// follows A when a variable enters or leaves (Golub & Van Loan, Matrix Computations, 4.2.9 and 6.5.4):
//
//   factorise   n^3/6 multiplications, by panels of rows
//   append      n^2/2: the new column of R solves R'r = a, its pivot is a_nn - r'r
//   remove(k)   up to 2 n^2: what is left of R below row k is made triangular again by rotations of neighbouring rows
//   solve       n^2, for one right-hand side or for several together, which share R while it is near
//
// The ridge is of rounding size and no pivot is smaller than it. Matrices of low rank (repeated points, a linear
// kernel) have a factor as any other; a right-hand side outside their range has a long but finite solution.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "simd.hpp"
#include "square_matrix.hpp"

namespace wm {

class Factor {
 public:
  std::size_t size() const { return R_.size(); }

  /// Takes A (of which it reads the upper triangle); asks `must_stop()` between panels and returns false if it said so:
  /// the factor is then of no use.
  template <class MustStop>
  bool factorise(SquareMatrix A, MustStop must_stop) {
    R_ = std::move(A);
    double largest = 0.0;
    for (std::size_t i = 0; i < size(); ++i) largest = std::max(largest, R_(i, i));
    ridge_ = relative_ridge * static_cast<double>(size() + 1) * largest;
    for (std::size_t i = 0; i < size(); ++i) R_(i, i) += ridge_;
    for (std::size_t first = 0; first < size(); first += panel) {
      if (must_stop()) return false;
      const std::size_t end = std::min(first + panel, size());
      simd::on_avx512([&]() WM_INLINE_LAMBDA {
        eliminate(first, end);
        subtract_products(first, end);
      });
    }
    return true;
  }

  /// A gains a last variable: its entries with the others, and its diagonal entry.
  void append(std::vector<double> column, double diagonal) {
    const std::size_t n = size();
    R_.append();
    forward(column.data(), n);
    double pivot = diagonal + ridge_;
    for (std::size_t i = 0; i < n; ++i) {
      R_(i, n) = column[i];
      pivot -= column[i] * column[i];
    }
    R_(n, n) = root(pivot);
  }

  void remove(std::size_t k) {
    const std::size_t n = size();
    for (std::size_t i = 0; i < k; ++i) std::copy(R_.row(i) + k + 1, R_.row(i) + n, R_.row(i) + k);
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t j = k; j + 1 < n; ++j) rotate(R_.row(j), R_.row(j + 1), j + 1, n);
    });
    R_.remove_last();
  }

  /// B <- (A + ridge I)^-1 B, B stored by rows.
  template <std::size_t columns = 1>
  void solve(double* B) const {
    if constexpr (columns == 1) {
      forward(B, size());
      backward(B);
    } else {
      simd::on_avx512([&]() WM_INLINE_LAMBDA {
        forward_together<columns>(B);
        backward_together<columns>(B);
      });
    }
  }

  double log_determinant() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < size(); ++i) sum += 2.0 * std::log(R_(i, i));
    return sum;
  }

  /// The diagonal of (A + ridge I)^-1 = R^-1 R^-T: squared lengths of the rows of R^-1. Takes n^3/6 multiplications.
  std::vector<double> inverse_diagonal() const {
    const std::size_t n = size();
    SquareMatrix inverse(n);
    std::vector<double> diagonal(n, 0.0);
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t i = n; i-- > 0;) {
        double* row = inverse.row(i);
        for (std::size_t k = i + 1; k < n; ++k) subtract(row, inverse.row(k), R_(i, k), k, n);
        row[i] = 1.0;
        for (std::size_t j = i; j < n; ++j) row[j] /= R_(i, i);
        diagonal[i] = dot(row, row, i, n);
      }
    });
    return diagonal;
  }

 private:
  static constexpr std::size_t panel = 32, tile_rows = SquareMatrix::tile_rows, tile_columns = SquareMatrix::spare;
  static constexpr double relative_ridge = 1e-15;

  double root(double pivot) const { return std::sqrt(pivot > ridge_ ? pivot : ridge_ > 0.0 ? ridge_ : 1.0); }

  /// x -= factor y on [begin, end).
  static WM_INLINE void subtract(double* __restrict x, const double* __restrict y, double factor, std::size_t begin,
                                 std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) x[j] -= factor * y[j];
  }

  static WM_INLINE double dot(const double* x, const double* y, std::size_t begin, std::size_t end) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = begin; j < end; ++j) sum += x[j] * y[j];
    return sum;
  }

  /// Rows [first, end) of R, from rows of A that know of all rows above `first`.
  WM_INLINE void eliminate(std::size_t first, std::size_t end) {
    const std::size_t n = size();
    for (std::size_t k = first; k < end; ++k) {
      double* row_k = R_.row(k);
      for (std::size_t i = first; i < k; ++i) subtract(row_k, R_.row(i), R_(i, k), k, n);
      const double pivot = row_k[k] > ridge_ ? row_k[k] : ridge_ > 0.0 ? ridge_ : 1.0;
      const double scale = 1.0 / std::sqrt(pivot);
      row_k[k] = pivot;
      for (std::size_t j = k; j < n; ++j) row_k[j] *= scale;
    }
  }

  /// A_ij -= sum_k R_ki R_kj over the rows k of a panel, for all i, j after it.
  WM_INLINE void subtract_products(std::size_t first, std::size_t end) {
    const std::size_t n = size();
    std::size_t i = end;
    for (; i + tile_rows <= n; i += tile_rows)
      for (std::size_t j = i; j < n; j += tile_columns) subtract_tile<tile_rows>(first, end, i, j);
    for (; i < n; ++i)
      for (std::size_t j = i; j < n; j += tile_columns) subtract_tile<1>(first, end, i, j);
  }

  template <std::size_t rows>
  WM_INLINE void subtract_tile(std::size_t first, std::size_t end, std::size_t i, std::size_t j) {
    double sum[rows][tile_columns] = {};
    for (std::size_t k = first; k < end; ++k) {
      const double* row_k = R_.row(k);
      for (std::size_t a = 0; a < rows; ++a)
#pragma omp simd
        for (std::size_t b = 0; b < tile_columns; ++b) sum[a][b] += row_k[i + a] * row_k[j + b];
    }
    for (std::size_t a = 0; a < rows; ++a) {
      double* row = R_.row(i + a) + j;
      for (std::size_t b = 0; b < tile_columns; ++b) row[b] -= sum[a][b];
    }
  }

  /// Rotates two rows so that entry `begin` of the second vanishes; the first moves one place to the left.
  static WM_INLINE void rotate(double* x, double* y, std::size_t begin, std::size_t end) {
    const double length = std::sqrt(x[begin] * x[begin] + y[begin] * y[begin]);
    const double c = x[begin] / length, s = y[begin] / length;
#pragma omp simd
    for (std::size_t t = begin; t < end; ++t) {
      const double x_t = x[t], y_t = y[t];
      x[t - 1] = c * x_t + s * y_t;
      y[t] = c * y_t - s * x_t;
    }
  }

  /// b <- R^-T b with the first n rows.
  void forward(double* b, std::size_t n) const {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t i = 0; i < n; ++i) {
        b[i] /= R_(i, i);
        subtract(b, R_.row(i), b[i], i + 1, n);
      }
    });
  }

  /// b <- R^-1 b.
  void backward(double* b) const {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t i = size(); i-- > 0;) b[i] = (b[i] - dot(R_.row(i), b, i + 1, size())) / R_(i, i);
    });
  }

  /// B <- R^-T B, panel by panel of rows.
  template <std::size_t columns>
  WM_INLINE void forward_together(double* B) const {
    for (std::size_t first = 0; first < size(); first += panel) {
      const std::size_t end = std::min(first + panel, size());
      for (std::size_t i = first; i < end; ++i) {
        for (std::size_t k = first; k < i; ++k) subtract(B + i * columns, B + k * columns, R_(k, i), 0, columns);
        for (std::size_t c = 0; c < columns; ++c) B[i * columns + c] /= R_(i, i);
      }
      std::size_t j = end;
      for (; j + tile_rows <= size(); j += tile_rows) subtract_panel<tile_rows, columns>(first, end, j, B);
      for (; j < size(); ++j) subtract_panel<1, columns>(first, end, j, B);
    }
  }

  /// B_j -= sum_i R_ij B_i over the rows i of a panel, for so many rows from j on.
  template <std::size_t rows, std::size_t columns>
  WM_INLINE void subtract_panel(std::size_t first, std::size_t end, std::size_t j, double* B) const {
    double sum[rows][columns] = {};
    for (std::size_t i = first; i < end; ++i)
      for (std::size_t a = 0; a < rows; ++a)
#pragma omp simd
        for (std::size_t c = 0; c < columns; ++c) sum[a][c] += R_(i, j + a) * B[i * columns + c];
    for (std::size_t a = 0; a < rows; ++a) subtract(B + (j + a) * columns, sum[a], 1.0, 0, columns);
  }

  /// B <- R^-1 B, by tiles of rows.
  template <std::size_t columns>
  WM_INLINE void backward_together(double* B) const {
    for (std::size_t end = size(); end > 0;) {
      const std::size_t begin = end > tile_rows ? end - tile_rows : 0;
      double sum[tile_rows][columns] = {};
      R_.add_products<columns>(begin, end, end, B, sum);
      for (std::size_t i = end; i-- > begin;) {
        double* const row = B + i * columns;
        subtract(row, sum[i - begin], 1.0, 0, columns);
        for (std::size_t k = i + 1; k < end; ++k) subtract(row, B + k * columns, R_(i, k), 0, columns);
        for (std::size_t c = 0; c < columns; ++c) row[c] /= R_(i, i);
      }
      end = begin;
    }
  }

  SquareMatrix R_;
  double ridge_ = 0.0;
};

}  // namespace wm
