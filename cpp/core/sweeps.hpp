#pragma once
// The passes over all active variables: everything a solver does that costs O(n).
//
// A pass goes through blocks that stay in the first-level cache: a branch-free vector loop finds the best value of a
// block, and only the block that has the best of all is searched for its first position, by a vector loop too. Ties go
// to the lowest position.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simd.hpp"
#include "types.hpp"

namespace wm {

/// The largest gradient among variables that can rise, the smallest among those that can fall.
struct Extremes {
  Index up = -1, down = -1;
  double high = -infinity, low = infinity;
  double gap() const { return up < 0 || down < 0 ? -infinity : high - low; }
};

namespace sweep {

/// How a position finds its entry in a kernel row.
struct Straight {
  WM_INLINE Index operator()(Index k) const { return k; }
};
struct Listed {
  const Index* list;
  WM_INLINE Index operator()(Index k) const { return list[k]; }
};

struct Best {
  Index index = -1;
  double value = 0.0;
};

inline constexpr Index block_size = 256;

/// Curvatures this small count as zero.
template <class Sum>
WM_INLINE Sum flat(Sum Q_ii, Sum Q_kk) {
  const Sum sum = Q_ii + Q_kk;
  return Sum(1e-12) * (sum > Sum(1) ? sum : Sum(1));
}

/// The first position of [begin, end) for which `holds(k)`, branch-free; `end` if there is none.
template <class Holds>
WM_INLINE Index first_of(Index begin, Index end, Holds holds) {
  Index first = end;
#pragma omp simd reduction(min : first)
  for (Index k = begin; k < end; ++k) {
    const Index found = holds(k) ? k : end;
    first = found < first ? found : first;
  }
  return first;
}

/// The extremes of G, where gradient(k) is G[k] once it is what it should be. `rise` and `fall` are positive where a
/// variable can.
template <class Sum, class Gradient>
WM_INLINE Extremes extremes_here(const Sum* __restrict G, Gradient gradient, const Sum* __restrict rise,
                                 const Sum* __restrict fall, Index begin, Index end) {
  constexpr Sum none = std::numeric_limits<Sum>::infinity();
  Sum highest = -none, lowest = none;
  Index highest_block = -1, lowest_block = -1;
  for (Index from = begin; from < end; from += block_size) {
    const Index to = std::min(end, from + block_size);
    Sum high = -none, low = none;
#pragma omp simd reduction(max : high) reduction(min : low)
    for (Index k = from; k < to; ++k) {
      const Sum g = gradient(k);
      const Sum rising = rise[k] > Sum(0) ? g : -none, falling = fall[k] > Sum(0) ? g : none;
      high = rising > high ? rising : high;
      low = falling < low ? falling : low;
    }
    if (high > highest) highest = high, highest_block = from;
    if (low < lowest) lowest = low, lowest_block = from;
  }
  Extremes e;
  if (highest_block >= 0) {
    e.high = highest;
    e.up = first_of(highest_block, std::min(end, highest_block + block_size),
                    [=](Index k) WM_INLINE_LAMBDA { return (rise[k] > Sum(0)) & (G[k] == highest); });
  }
  if (lowest_block >= 0) {
    e.low = lowest;
    e.down = first_of(lowest_block, std::min(end, lowest_block + block_size),
                      [=](Index k) WM_INLINE_LAMBDA { return (fall[k] > Sum(0)) & (G[k] == lowest); });
  }
  return e;
}

template <class Sum>
Extremes extremes(const Sum* G, const Sum* rise, const Sum* fall, Index begin, Index end) {
  Extremes e;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    e = extremes_here(G, [=](Index k) WM_INLINE_LAMBDA { return G[k]; }, rise, fall, begin, end);
  });
  return e;
}

/// G -= step (K_i - K_j), and the extremes of the new gradient.
template <class Real, class Column, class Sum>
Extremes update(const Real* __restrict row_i, const Real* __restrict row_j, Column column, double step,
                Sum* __restrict G, const Sum* rise, const Sum* fall, Index begin, Index end) {
  Extremes e;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    const Sum by = Sum(step);
    const auto changed = [=](Index k) WM_INLINE_LAMBDA {
      return G[k] -= by * (static_cast<Sum>(row_i[column(k)]) - static_cast<Sum>(row_j[column(k)]));
    };
    e = extremes_here(G, changed, rise, fall, begin, end);
  });
  return e;
}

/// out[k] += sum_r weights[r] rows[r][k] for k < size.
template <class Real>
void accumulate(const std::vector<const Real*>& rows, const double* weights, double* __restrict out, Index size) {
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    std::size_t r = 0;
    for (; r + 4 <= rows.size(); r += 4) {
      const Real* const __restrict a = rows[r], * const __restrict b = rows[r + 1], * const __restrict c = rows[r + 2], * const __restrict d = rows[r + 3];
      const double w = weights[r], x = weights[r + 1], y = weights[r + 2], z = weights[r + 3];
      for (Index k = 0; k < size; ++k)
        out[k] += w * double(a[k]) + x * double(b[k]) + y * double(c[k]) + z * double(d[k]);
    }
    for (; r < rows.size(); ++r)
      for (Index k = 0; k < size; ++k) out[k] += weights[r] * double(rows[r][k]);
  });
}

/// sum += term, and to `lost` what rounding takes away: sum + lost is as exact as the terms (Knuth).
inline void add_exactly(double term, double& sum, double& lost) {
  const double total = sum + term, added = total - sum;
  lost += (sum - (total - added)) + (term - added);
  sum = total;
}

/// The same as `accumulate`, with what rounding takes away from out[k] added to lost[k].
template <class Real>
void accumulate_exactly(const std::vector<const Real*>& rows, const double* weights, double* __restrict out,
                        double* __restrict lost, Index size) {
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    std::size_t r = 0;
    for (; r + 4 <= rows.size(); r += 4) {
      const Real* const __restrict a = rows[r], * const __restrict b = rows[r + 1], * const __restrict c = rows[r + 2], * const __restrict d = rows[r + 3];
      const double w = weights[r], x = weights[r + 1], y = weights[r + 2], z = weights[r + 3];
      for (Index k = 0; k < size; ++k)
        add_exactly(w * double(a[k]) + x * double(b[k]) + y * double(c[k]) + z * double(d[k]), out[k], lost[k]);
    }
    for (; r < rows.size(); ++r)
      for (Index k = 0; k < size; ++k) add_exactly(weights[r] * double(rows[r][k]), out[k], lost[k]);
  });
}

/// out[r] = sum_k rows[r][k] weights[k] over k < size.
template <class Real>
void products(const std::vector<const Real*>& rows, const double* __restrict weights, double* out, Index size) {
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Real* const __restrict row = rows[r];
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (Index k = 0; k < size; ++k) sum += weights[k] * double(row[k]);
      out[r] = sum;
    }
  });
}

/// out[r] + lost[r] += sum_k rows[r][k] weights[k] over k < size: short stretches are added up, and these exactly.
template <class Real>
void products_exactly(const std::vector<const Real*>& rows, const double* __restrict weights, double* out, double* lost,
                      Index size) {
  constexpr Index stretch = 32;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (Index begin = 0; begin < size; begin += stretch) {
        const Real* const __restrict row = rows[r];
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (Index k = begin; k < std::min(size, begin + stretch); ++k) sum += weights[k] * double(row[k]);
        add_exactly(sum, out[r], lost[r]);
      }
  });
}

/// First position of the largest score of [begin, end); no score counts as zero. `score(k)` must be branch-free.
template <class Sum = double, class Score>
WM_INLINE Best best_of(Index begin, Index end, Score score) {
  Best best;
  Sum scores[block_size], highest = 0;
  for (Index from = begin; from < end; from += block_size) {
    const Index size = std::min(end - from, block_size);
    Sum high = 0;
#pragma omp simd reduction(max : high)
    for (Index k = 0; k < size; ++k) {
      const Sum s = score(from + k);
      scores[k] = s;
      high = s > high ? s : high;
    }
    if (high > highest) {
      highest = high;
      best = {from + first_of(0, size, [&](Index k) WM_INLINE_LAMBDA { return scores[k] == high; }), double(high)};
    }
  }
  return best;
}

/// arg max of (G_i - G_k)^2 / Q_ik over k that can fall and have G_k < G_i.
template <class Real, class Column, class Sum>
WM_INLINE Best second_order_here(const Real* row_i, Column column, const Sum* G, const Sum* diagonal, const Sum* fall,
                                 Sum G_i, Sum Q_ii, Index begin, Index end) {
  return best_of<Sum>(begin, end, [=](Index k) WM_INLINE_LAMBDA {
    const Sum slope = G_i - G[k], least = flat(Q_ii, diagonal[k]);
    const Sum raw = Q_ii + diagonal[k] - Sum(2) * static_cast<Sum>(row_i[column(k)]);
    const Sum curvature = raw > least ? raw : least;
    const Sum score = slope * slope / curvature;
    return (fall[k] > Sum(0)) & (slope > Sum(0)) ? score : Sum(0);
  });
}

template <class Real, class Column, class Sum>
Index second_order(const Real* row_i, Column column, const Sum* G, const Sum* diagonal, const Sum* fall, Sum G_i,
                   double Q_ii, Index begin, Index end) {
  Best best;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    best = second_order_here(row_i, column, G, diagonal, fall, G_i, Sum(Q_ii), begin, end);
  });
  return best.index;
}

/// arg max over k of the gain of the pair {s, k} with the box respected: step (slope - curvature step / 2).
template <class Real, class Column, class Sum>
WM_INLINE Best most_gainful_here(const Real* row_s, Column column, const Sum* G, const Sum* diagonal,
                                 const double* rise, const double* fall, double G_s, double Q_ss, double rise_s,
                                 double fall_s, Index begin, Index end) {
  return best_of(begin, end, [=](Index k) WM_INLINE_LAMBDA {
    const double difference = G_s - G[k], least = flat<double>(Q_ss, diagonal[k]);
    const bool s_rises = difference > 0.0;
    const double slope = s_rises ? difference : -difference;
    const double mine = s_rises ? rise_s : fall_s, fall_k = fall[k], rise_k = rise[k];
    const double other = s_rises ? fall_k : rise_k;
    const double room = mine < other ? mine : other;
    const double curvature = Q_ss + diagonal[k] - 2.0 * static_cast<double>(row_s[column(k)]);
    const double newton = slope / curvature;
    const double step = newton < room ? newton : room;
    const double quadratic = step * (slope - 0.5 * curvature * step);
    const double linear = room > 0.0 ? room * slope : 0.0;
    return curvature > least ? quadratic : linear;
  });
}

template <class Real, class Column, class Sum>
Best most_gainful(const Real* row_s, Column column, const Sum* G, const Sum* diagonal, const double* rise,
                  const double* fall, Index s, bool only_as_riser, Index begin, Index end) {
  Best before, after;
  const double fall_s = only_as_riser ? 0.0 : fall[s];
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    before = most_gainful_here(row_s, column, G, diagonal, rise, fall, G[s], diagonal[s], rise[s], fall_s, begin, s);
    after = most_gainful_here(row_s, column, G, diagonal, rise, fall, G[s], diagonal[s], rise[s], fall_s, s + 1, end);
  });
  return after.value > before.value ? after : before;
}

}  // namespace sweep
}  // namespace wm
