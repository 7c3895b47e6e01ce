#pragma once
// Sums over coordinates of a few points x, written out, against some columns z as they are stored:
//
//   sums[a * tile + b] = sum_j term(x_j, z_j),   x = xs[a],  z = z[columns[b]],  no more columns than a tile has.
//
// What is worth doing depends on how often a column is met. By a single x, a dense column is best read as it lies; by
// more, it pays to lay a panel of columns side by side first (panel.hpp). A sparse column is met by several x at
// once, their coordinates side by side, so that one walk along its nonzeros serves them all.
//
// Where z stores only some coordinates, the sum starts from sum_j term(x_j, 0) and is corrected at those:
//
//   sum_j term(x_j, z_j) = sum_j term(x_j, 0) + sum_{j stored} (term(x_j, z_j) - term(x_j, 0)).
//
// Differences are taken before they are squared, so that data far from the origin lose no digits; the corrected sum can
// cancel, which is noticed and then made good by merging the two lists of coordinates.

#include <algorithm>

#include "panel.hpp"
#include "scattered.hpp"
#include "terms.hpp"

namespace wm {

inline constexpr std::size_t tile = 128;
inline constexpr Index together = 8;     // points meeting a sparse column at once
inline constexpr std::size_t ahead = 4;  // sparse columns under way from memory

/// How many points to write out together if `count` of them are to meet the columns.
template <class Columns>
Index points_together(std::size_t count) {
  return Columns::sparse && count > 2 ? together : 1;
}

template <class A>
using ScatteredPoints = std::span<const ScatteredPoint<A>>;

/// Dense columns laid side by side. An entry has the same value to the last bit in whatever company it is computed.
template <class A, class Term, class T>
void panel_sums(Term term, ScatteredPoints<A> xs, const DensePoints<T>& z, std::span<const Index> columns, A* sums) {
  constexpr std::size_t lanes = Panel<A>::lanes;
  std::fill_n(sums, xs.size() * tile, A(0));
  Panel<A> panel;
  for (std::size_t b = 0; b < columns.size(); b += lanes) {
    const auto beside = columns.subspan(b, std::min(lanes, columns.size() - b));
    for (Index first = 0; first < z.dimension; first += Panel<A>::stretch) {
      simd::on_avx2([&]() WM_INLINE_LAMBDA { panel.write(z, beside, first); });
      simd::on_avx512([&]() WM_INLINE_LAMBDA {
        for (std::size_t a = 0; a < xs.size(); ++a) panel.add_sums(term, xs[a].values, sums + a * tile + b);
      });
    }
  }
}

/// Dense columns read as they lie, four sums at a time for the processor to overlap. Also the last few columns go by
/// four (some of them several times), so that here too an entry does not depend on its company.
template <class A, class Term, class T>
WM_INLINE void row_sums(Term term, const A* x, const DensePoints<T>& z, std::span<const Index> columns, A* sums) {
  const Index d = z.dimension;
  const std::size_t count = columns.size();
  for (std::size_t b = 0; b < count; b += 4) {
    const auto values = [&](std::size_t offset)
                            WM_INLINE_LAMBDA { return z[columns[b + offset < count ? b + offset : count - 1]].values; };
    const T *const z0 = values(0), *const z1 = values(1), *const z2 = values(2), *const z3 = values(3);
    A s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (Index j = 0; j < d; ++j) {
      const A xj = x[j];
      s0 += term.term(xj, A(z0[j]), j);
      s1 += term.term(xj, A(z1[j]), j);
      s2 += term.term(xj, A(z2[j]), j);
      s3 += term.term(xj, A(z3[j]), j);
    }
    const A four[] = {s0, s1, s2, s3};
    for (std::size_t k = 0; k < 4 && b + k < count; ++k) sums[b + k] = four[k];
  }
}

template <class A, class Term, class T>
void sums_with_columns(Term term, ScatteredPoints<A> xs, const DensePoints<T>& z, std::span<const Index> columns,
                       A* sums) {
  constexpr Index few_coordinates = 8;  // a panel is then cheaper than the ends of many short sums
  if (xs.size() > 2 || z.dimension <= few_coordinates) return panel_sums<A>(term, xs, z, columns, sums);
  simd::on_avx2([&]() WM_INLINE_LAMBDA {
    for (std::size_t a = 0; a < xs.size(); ++a) row_sums<A>(term, xs[a].values, z, columns, sums + a * tile);
  });
}

/// sum_j term(x_j, 0).
template <class A, class Term>
A sum_against_zero(Term term, const ScatteredPoint<A>& x) {
  if (Term::zero_at_zero) return 0;
  A sum = 0;
  for (const Index j : x.support) sum += term.term(x[j], A(0), j);
  return sum;
}

/// The sum over the union of two supports, term by term.
template <class A, class Term, class T>
A merged_sum(Term term, const ScatteredPoint<A>& x, SparsePoint<T> z) {
  A sum = 0;
  auto next = x.support.begin();
  for (Index k = 0; k < z.size; ++k) {
    const Index j = z.coordinates[k];
    for (; next != x.support.end() && *next < j; ++next) sum += term.term(x[*next], A(0), *next);
    if (next != x.support.end() && *next == j) ++next;
    sum += term.term(x[j], A(z.values[k]), j);
  }
  for (; next != x.support.end(); ++next) sum += term.term(x[*next], A(0), *next);
  return sum;
}

/// The columns, one after another, against all of xs, which were written out together.
template <Index lanes, class A, class Term, class T>
WM_INLINE void corrected_sums(Term term, ScatteredPoints<A> xs, const SparsePoints<T>& z,
                              std::span<const Index> columns, A* sums) {
  const A* const side_by_side = xs[0].values;
  A against_zero[lanes] = {};
  for (std::size_t a = 0; a < xs.size(); ++a) against_zero[a] = sum_against_zero<A>(term, xs[a]);
  const auto cancelled = [&](A sum, std::size_t a)
                             WM_INLINE_LAMBDA { return !Term::zero_at_zero && sum <= against_zero[a] * (A(1) / 16); };
  for (std::size_t b = 0; b < columns.size(); ++b) {
    if (b + ahead < columns.size()) prefetch(z[columns[b + ahead]]);
    const SparsePoint<T> point = z[columns[b]];
    A sum[lanes] = {};
    for (Index k = 0; k < point.size; ++k) {
      const Index j = point.coordinates[k];
      const A* const x = side_by_side + std::ptrdiff_t(j) * lanes;
      const A zj = A(point.values[k]);
#pragma omp simd
      for (Index a = 0; a < lanes; ++a) sum[a] += term.correction(x[a], zj, j);
    }
    int some_cancelled = 0;
#pragma omp simd reduction(| : some_cancelled)
    for (Index a = 0; a < lanes; ++a) {
      sum[a] += against_zero[a];
      some_cancelled |= cancelled(sum[a], a);
    }
    for (std::size_t a = 0; a < xs.size(); ++a) sums[a * tile + b] = sum[a];
    if (some_cancelled)
      for (std::size_t a = 0; a < xs.size(); ++a)
        if (cancelled(sum[a], a)) sums[a * tile + b] = merged_sum<A>(term, xs[a], point);
  }
}

template <class A, class Term, class T>
void sums_with_columns(Term term, ScatteredPoints<A> xs, const SparsePoints<T>& z, std::span<const Index> columns,
                       A* sums) {
  if (xs[0].stride == 1) {
    simd::on_avx2([&]() WM_INLINE_LAMBDA {
      for (std::size_t a = 0; a < xs.size(); ++a)
        corrected_sums<1, A>(term, xs.subspan(a, 1), z, columns, sums + a * tile);
    });
  } else {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t a = 0; a < xs.size(); a += together)
        corrected_sums<together, A>(term, xs.subspan(a, std::min<std::size_t>(together, xs.size() - a)), z, columns,
                                    sums + a * tile);
    });
  }
}

}  // namespace wm
