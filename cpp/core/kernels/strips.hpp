#pragma once
// Sums over the coordinates of points that are written out, a strip of columns after another:
//
//   sums[a, b] = result(a, b, sum_j term(x_aj, z_bj)).
//
// A strip lies by coordinate, in a near cache, and is so narrow that the sums of some rows with it stay in registers.

#include <algorithm>
#include <type_traits>

#include "../lease.hpp"
#include "../simd.hpp"

namespace wm {

/// `Some` has `count` points one after the other in `values`, of d coordinates each.
template <class Some, class Term, class Result, class A>
void sum_in_strips(Some x, Some z, std::size_t d, Term term, Result result, A* sums) {
  constexpr std::size_t width = 256 / sizeof(A);
  Lease<A> room(d * width);
  A* const strip = room.data();
  for (std::size_t first = 0; first < z.count; first += width) {
    const std::size_t columns = std::min(width, z.count - first);
    for (std::size_t b = 0; b < width; ++b)
      for (std::size_t j = 0; j < d; ++j) strip[j * width + b] = b < columns ? z.values[(first + b) * d + j] : A(0);
    const auto rows_from = [=](std::size_t a, auto rows) WM_INLINE_LAMBDA {
      A sum[decltype(rows)::value][width] = {};
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t r = 0; r < rows; ++r)
#pragma omp simd
          for (std::size_t b = 0; b < width; ++b) sum[r][b] += term(x.values[(a + r) * d + j], strip[j * width + b]);
      for (std::size_t r = 0; r < rows; ++r) {
        A* const row = sums + (a + r) * z.count + first;
        if (columns == width)  // a number known beforehand makes it a few vectors
#pragma omp simd
          for (std::size_t b = 0; b < width; ++b) row[b] = result(a + r, first + b, sum[r][b]);
        else
          for (std::size_t b = 0; b < columns; ++b) row[b] = result(a + r, first + b, sum[r][b]);
      }
    };
    constexpr std::integral_constant<std::size_t, 1> one;
    constexpr std::integral_constant<std::size_t, 4> four;
    const auto all_rows = [=](auto at_once) WM_INLINE_LAMBDA {
      std::size_t a = 0;
      for (; a + at_once <= x.count; a += at_once) rows_from(a, at_once);
      for (; a < x.count; ++a) rows_from(a, one);
    };
    if (simd::wide_vectors())
      simd::on_avx512([=]() WM_INLINE_LAMBDA { all_rows(four); });
    else
      simd::on_avx2([=]() WM_INLINE_LAMBDA { all_rows(one); });
  }
}

}  // namespace wm
