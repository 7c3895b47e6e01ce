#pragma once
// Kernels of the form
//
//   k(x, z) = map( sum_j term(x_j, z_j) )
//
// for dense and sparse points alike: x is written out densely once, then met by every z as z is stored. Where z stores
// only some coordinates, the sum starts from sum_j term(x_j, 0) and is corrected at those:
//
//   sum_j term(x_j, z_j) = sum_j term(x_j, 0) + sum_{j stored} (term(x_j, z_j) - term(x_j, 0)).
//
// Differences are taken before they are squared, so that data far from the origin lose no digits; the corrected sum can
// cancel, which is noticed and then made good by merging the two lists of coordinates.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "../gram.hpp"
#include "../simd.hpp"
#include "scattered.hpp"
#include "terms.hpp"

namespace wm {

/// sum_j term(x_j, 0).
template <class A, class Term>
A sum_against_zero(Term term, const ScatteredPoint<A>& x) {
  if (Term::zero_at_zero) return 0;
  A sum = 0;
  for (const Index j : x.support) sum += term.term(x.values[j], A(0), j);
  return sum;
}

/// The sum over the union of two supports, term by term.
template <class A, class Term, class T>
A merged_sum(Term term, const ScatteredPoint<A>& x, SparsePoint<T> z) {
  A sum = 0;
  auto next = x.support.begin();
  for (Index k = 0; k < z.size; ++k) {
    const Index j = z.coordinates[k];
    for (; next != x.support.end() && *next < j; ++next) sum += term.term(x.values[*next], A(0), *next);
    if (next != x.support.end() && *next == j) ++next;
    sum += term.term(x.values[j], A(z.values[k]), j);
  }
  for (; next != x.support.end(); ++next) sum += term.term(x.values[*next], A(0), *next);
  return sum;
}

/// The sum from x against zero, corrected where z stores a coordinate.
template <class A, class Term, class T>
WM_INLINE A corrected_sum(Term term, const ScatteredPoint<A>& x, A against_zero, SparsePoint<T> z) {
  const A* const xs = x.values;
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index k = 0; k < z.size; ++k) {
    const Index j = z.coordinates[k];
    sum += term.correction(xs[j], A(z.values[k]), j);
  }
  sum += against_zero;
  constexpr A digits_to_spare = A(1) / 16;
  if (!Term::zero_at_zero && sum <= digits_to_spare * against_zero) return merged_sum<A>(term, x, z);
  return sum;
}

/// One sum after another, as many as there are columns.
template <class A, class Term, class T, class Out>
WM_INLINE void sums(Term term, const ScatteredPoint<A>& x, A against_zero, const SparsePoints<T>& z,
                    std::span<const Index> columns, Out* out) {
  for (const Index column : columns) *out++ = Out(corrected_sum<A>(term, x, against_zero, z[column]));
}

/// Four sums at a time, for the processor to overlap. Also the last few columns go by four (some of them several
/// times): an entry has the same value to the last bit in whatever company it is computed.
template <class A, class Term, class T, class Out>
WM_INLINE void sums(Term term, const ScatteredPoint<A>& x, A, const DensePoints<T>& z, std::span<const Index> columns,
                    Out* out) {
  const A* const xs = x.values;
  const Index d = z.dimension;
  const std::size_t count = columns.size();
  for (std::size_t b = 0; b < count; b += 4) {
    const auto values = [&](std::size_t offset)
                            WM_INLINE_LAMBDA { return z[columns[b + offset < count ? b + offset : count - 1]].values; };
    const T *const z0 = values(0), *const z1 = values(1), *const z2 = values(2), *const z3 = values(3);
    A s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (Index j = 0; j < d; ++j) {
      const A xj = xs[j];
      s0 += term.term(xj, A(z0[j]), j);
      s1 += term.term(xj, A(z1[j]), j);
      s2 += term.term(xj, A(z2[j]), j);
      s3 += term.term(xj, A(z3[j]), j);
    }
    const Out four[] = {Out(s0), Out(s1), Out(s2), Out(s3)};
    for (std::size_t k = 0; k < 4 && b + k < count; ++k) out[b + k] = four[k];
  }
}

/// out[b] = sum_j term(x_j, z_j) for z = z[columns[b]].
template <class A, class Term, class Columns, class Out>
void sums_with_columns(Term term, const ScatteredPoint<A>& x, const Columns& z, std::span<const Index> columns,
                       Out* out) {
  const A against_zero = Columns::sparse ? sum_against_zero<A>(term, x) : A(0);
  simd::on_avx2([&]() WM_INLINE_LAMBDA { sums<A>(term, x, against_zero, z, columns, out); });
}

/// The map that leaves the sums as they are.
struct Identity {
  static constexpr bool bears_rounding = true;
  template <class T>
  void operator()(T*, std::size_t) const {}
};

/// Map turns a row of sums into kernel values in place: map(values, count). If it bears rounding, a sum rounded to
/// single precision gives an entry as exact as single precision can be; else the map is applied before rounding.
template <class Term, class Map>
class PairwiseGram : public Gram {
 public:
  PairwiseGram(Points x, Points z, Map map, Term term = {}) : x_(x), z_(z), map_(map), term_(std::move(term)) {}

  Index rows() const override { return count(x_); }
  Index columns() const override { return count(z_); }

  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    std::visit([&](const auto& z) { choose_accumulator(z, which, columns, out); }, z_);
  }

  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    std::visit([&](const auto& z) { accumulate_in<double>(z, which, columns, out); }, z_);
  }

  void diagonal(double* out) const override {
    for (Index r = 0; r < rows(); ++r) block({&r, 1}, {&r, 1}, out + r);
  }

 private:
  /// Single precision suffices for rounded entries of dense single-precision data: nothing cancels there.
  template <class Columns>
  void choose_accumulator(const Columns& z, std::span<const Index> which, std::span<const Index> columns,
                          float* out) const {
    if constexpr (!Columns::sparse && !std::is_same_v<typename Columns::Value, double>) {
      if (!is_double(x_)) return accumulate_in<float>(z, which, columns, out);
    }
    accumulate_in<double>(z, which, columns, out);
  }

  /// A few rows at a time, so that a tile of columns is read from memory once for all of them.
  template <class A, class Columns, class Out>
  void accumulate_in(const Columns& z, std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    auto& scattered = Scattered<A>::of_this_thread();
    const std::size_t rows_at_once = std::clamp<std::size_t>(32768 / (dimension(x_) + 1), 1, 16);
    const auto term = term_.template in<A>();
    for (std::size_t first = 0; first < which.size(); first += rows_at_once) {
      const auto some = which.subspan(first, std::min(rows_at_once, which.size() - first));
      const auto& xs = scattered.write(x_, some);
      for (std::size_t b = 0; b < columns.size(); b += tile) {
        const auto these = columns.subspan(b, std::min(tile, columns.size() - b));
        for (std::size_t a = 0; a < xs.size(); ++a) {
          Out* const values = out + (first + a) * columns.size() + b;
          fill(term, xs[a], z, these, values);
        }
      }
      scattered.clear();
    }
  }

  /// values[b] = k(x, z[columns[b]]) for no more columns than a tile has.
  template <class A, class InTerm, class Columns, class Out>
  void fill(InTerm term, const ScatteredPoint<A>& x, const Columns& z, std::span<const Index> columns,
            Out* values) const {
    if constexpr (Map::bears_rounding) {
      sums_with_columns<A>(term, x, z, columns, values);
      map_(values, columns.size());
    } else {
      A exact[tile];
      sums_with_columns<A>(term, x, z, columns, exact);
      map_(exact, columns.size());
      std::copy_n(exact, columns.size(), values);
    }
  }

  static constexpr std::size_t tile = 256;

  Points x_, z_;
  Map map_;
  Term term_;
};

}  // namespace wm
