#pragma once
// A square matrix by rows that can gain and lose a variable (a row and the column of the same number).

#include <algorithm>
#include <vector>

#include "simd.hpp"
#include "types.hpp"

namespace wm {

class SquareMatrix {
 public:
  /// Readable columns beyond the last one, so that loops over tiles of columns need no remainder.
  static constexpr std::size_t spare = 16;

  explicit SquareMatrix(std::size_t size = 0) { grow(size), size_ = size; }

  std::size_t size() const { return size_; }
  double* row(std::size_t i) { return values_.data() + i * stride_; }
  const double* row(std::size_t i) const { return values_.data() + i * stride_; }
  double& operator()(std::size_t i, std::size_t j) { return row(i)[j]; }
  double operator()(std::size_t i, std::size_t j) const { return row(i)[j]; }

  /// One more row and column, of any content.
  void append() {
    if (size_ == capacity_) grow(size_ + size_ / 2 + 8);
    ++size_;
  }

  void remove(std::size_t k) {
    for (std::size_t i = 0; i < size_; ++i) std::copy(row(i) + k + 1, row(i) + size_, row(i) + k);
    for (std::size_t i = k; i + 1 < size_; ++i) std::copy_n(row(i + 1), size_ - 1, row(i));
    --size_;
  }
  void remove_last() { --size_; }

  static constexpr std::size_t tile_rows = 8;  // as many as are multiplied together

  /// sums[a] += sum_j M[begin + a, j] B[j] over the columns j from `first` on, for the rows [begin, end), at most a
  /// tile of them; B is stored by rows.
  template <std::size_t columns>
  WM_INLINE void add_products(std::size_t begin, std::size_t end, std::size_t first, const double* B,
                              double (*sums)[columns]) const {
    if (end - begin == tile_rows) return add_rows<tile_rows, columns>(begin, first, B, sums);
    for (; begin < end; ++begin, ++sums) add_rows<1, columns>(begin, first, B, sums);
  }

 private:
  template <std::size_t rows, std::size_t columns>
  WM_INLINE void add_rows(std::size_t begin, std::size_t first, const double* B, double (*sums)[columns]) const {
    double sum[rows][columns] = {};
    for (std::size_t j = first; j < size_; ++j)
      for (std::size_t a = 0; a < rows; ++a)
#pragma omp simd
        for (std::size_t c = 0; c < columns; ++c) sum[a][c] += row(begin + a)[j] * B[j * columns + c];
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t c = 0; c < columns; ++c) sums[a][c] += sum[a][c];
  }

  void grow(std::size_t capacity) {
    std::size_t stride = (capacity + spare + 7) / 8 * 8;
    if (stride % 64 == 0) stride += 8;  // rows a power of two apart would compete for the same places of a cache
    std::vector<double> values(capacity * stride, 0.0);
    for (std::size_t i = 0; i < size_; ++i) std::copy_n(row(i), size_, values.data() + i * stride);
    values_ = std::move(values), stride_ = stride, capacity_ = capacity;
  }

  std::vector<double> values_;
  std::size_t size_ = 0, stride_ = 0, capacity_ = 0;
};

}  // namespace wm
