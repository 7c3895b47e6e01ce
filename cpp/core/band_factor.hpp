#pragma once
// A triangular band matrix L, and the squared lengths of the columns of L^-1 Q: with L L' = B + ridge I they are the
// diagonal of Q' (B + ridge I)^-1 Q (Golub & Van Loan, Matrix Computations, 4.3.2).
//
// A tile of rows is solved for a tile of columns in registers: what earlier rows contribute is subtracted as a product
// of matrices, the few unknowns of the tile follow one by one. Several tiles of columns share the rows of L while these
// are near, and of the solution only the last rows are kept.

#include <algorithm>
#include <vector>

#include "simd.hpp"
#include "types.hpp"

namespace wm {

class BandFactor {
  static constexpr std::size_t tile_rows = 8, tile_columns = 16, strip = 4, window_tiles = 32;

 public:
  /// So many columns are solved for together.
  static constexpr std::size_t near_columns = strip * tile_columns;

  /// `lower` has the columns of L one after the other, each from its diagonal entry down to that `bandwidth` below.
  BandFactor(const double* lower, std::size_t size, std::size_t bandwidth)
      : size_(size),
        bandwidth_(bandwidth),
        tiles_((size + tile_rows - 1) / tile_rows),
        entries_(tiles_ * tile_rows * (bandwidth + tile_rows), 0.0) {
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t i = j; i < std::min(size, j + bandwidth + 1); ++i) {
        const double entry = lower[j * (bandwidth + 1) + i - j];
        at(i, j) = i == j ? 1.0 / entry : entry;
      }
  }

  /// Adds the squared lengths of columns [begin, end) of L^-1 Q to `lengths`; Q is stored row by row.
  void add_squared_lengths(const double* Q, std::size_t columns, std::size_t begin, std::size_t end,
                           double* lengths) const {
    std::vector<double> window(near_columns * (bandwidth_ + window_tiles * tile_rows));
    for (; begin < end; begin += near_columns) {
      const std::size_t stop = std::min(end, begin + near_columns);
      simd::on_avx512([&]() WM_INLINE_LAMBDA { solve_strip(Q, columns, begin, stop, window, lengths); });
    }
  }

 private:
  /// Entry (i, j) among those of its tile, which are stored by columns, the `bandwidth` ones before it first.
  double& at(std::size_t i, std::size_t j) {
    const std::size_t tile = i / tile_rows, column = j + bandwidth_ - tile * tile_rows;
    return entries_[(tile * (bandwidth_ + tile_rows) + column) * tile_rows + i % tile_rows];
  }

  WM_INLINE void solve_strip(const double* Q, std::size_t columns, std::size_t begin, std::size_t end,
                             std::vector<double>& window, double* lengths) const {
    const std::size_t height = window.size() / near_columns, kept = bandwidth_ * tile_columns;
    std::fill(window.begin(), window.end(), 0.0);
    for (std::size_t first = 0; first < tiles_; first += window_tiles) {
      const std::size_t last = std::min(tiles_, first + window_tiles);
      for (std::size_t tile = first; tile < last; ++tile)
        for (std::size_t s = 0, column = begin; column < end; ++s, column += tile_columns) {
          double* X = window.data() + (s * height + (tile - first) * tile_rows) * tile_columns;
          solve_tile(tile, Q + column, columns, std::min(tile_columns, end - column), X, lengths + column);
        }
      for (std::size_t s = 0; s < strip; ++s) {
        double* X = window.data() + s * height * tile_columns;
        std::copy_n(X + (last - first) * tile_rows * tile_columns, kept, X);
      }
    }
  }

  /// Rows of one tile of L^-1 Q for `width` columns, from the `bandwidth` rows X before it, behind which they go.
  WM_INLINE void solve_tile(std::size_t tile, const double* Q, std::size_t columns, std::size_t width, double* X,
                            double* lengths) const {
    const double* L = entries_.data() + tile * tile_rows * (bandwidth_ + tile_rows);
    const std::size_t row = tile * tile_rows, rows = std::min(tile_rows, size_ - row);
    double rest[tile_rows][tile_columns] = {};
    for (std::size_t k = 0; k < bandwidth_; ++k, L += tile_rows, X += tile_columns)
      for (std::size_t i = 0; i < tile_rows; ++i)
#pragma omp simd
        for (std::size_t c = 0; c < tile_columns; ++c) rest[i][c] -= L[i] * X[c];
    if (rows == tile_rows && width == tile_columns) {
      for (std::size_t i = 0; i < tile_rows; ++i)
#pragma omp simd
        for (std::size_t c = 0; c < tile_columns; ++c) rest[i][c] += Q[(row + i) * columns + c];
    } else {
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < width; ++c) rest[i][c] += Q[(row + i) * columns + c];
    }
    double sums[tile_columns] = {};
    for (std::size_t k = 0; k < tile_rows; ++k, L += tile_rows, X += tile_columns) {
#pragma omp simd
      for (std::size_t c = 0; c < tile_columns; ++c) {
        X[c] = rest[k][c] * L[k];
        sums[c] += X[c] * X[c];
      }
      for (std::size_t i = k + 1; i < tile_rows; ++i)
#pragma omp simd
        for (std::size_t c = 0; c < tile_columns; ++c) rest[i][c] -= L[i] * X[c];
    }
    for (std::size_t c = 0; c < width; ++c) lengths[c] += sums[c];
  }

  std::size_t size_, bandwidth_, tiles_;
  std::vector<double> entries_;
};

}  // namespace wm
