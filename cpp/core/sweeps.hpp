#pragma once
// The passes over all active variables: everything a solver does that costs O(n).
//
// A pass goes through blocks that stay in the first-level cache: a branch-free vector loop finds the best value of a
// block, and only a block that beats the best so far is searched for its first position. Ties go to the lowest position.

#include <algorithm>
#include <cmath>

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
WM_INLINE double flat(double Q_ii, double Q_kk) {
  const double sum = Q_ii + Q_kk;
  return 1e-12 * (sum > 1.0 ? sum : 1.0);
}

/// Puts the first position of [begin, end) whose value is `high` (`low`) into e if that beats what e has.
WM_INLINE void keep_extremes(Extremes& e, double high, double low, const double* G, const double* rise,
                             const double* fall, Index begin, Index end) {
  if (high > e.high) {
    e.high = high;
    for (e.up = begin; e.up < end && !(rise[e.up] > 0.0 && G[e.up] == high);) ++e.up;
  }
  if (low < e.low) {
    e.low = low;
    for (e.down = begin; e.down < end && !(fall[e.down] > 0.0 && G[e.down] == low);) ++e.down;
  }
}

/// G -= step (K_i - K_j), and the extremes of the new gradient.
template <class Real, class Column>
Extremes update(const Real* row_i, const Real* row_j, Column column, double step, double* G, const double* rise,
                const double* fall, Index begin, Index end) {
  Extremes e;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    for (Index from = begin; from < end; from += block_size) {
      const Index to = std::min(end, from + block_size);
      double high = -infinity, low = infinity;
#pragma omp simd reduction(max : high) reduction(min : low)
      for (Index k = from; k < to; ++k) {
        const double g = G[k] - step * (static_cast<double>(row_i[column(k)]) - static_cast<double>(row_j[column(k)]));
        G[k] = g;
        const double rising = rise[k] > 0.0 ? g : -infinity, falling = fall[k] > 0.0 ? g : infinity;
        high = rising > high ? rising : high;
        low = falling < low ? falling : low;
      }
      keep_extremes(e, high, low, G, rise, fall, from, to);
    }
  });
  return e;
}

inline Extremes extremes(const double* G, const double* rise, const double* fall, Index begin, Index end) {
  Extremes e;
  for (Index k = begin; k < end; ++k) {
    if (rise[k] > 0.0 && G[k] > e.high) e.high = G[k], e.up = k;
    if (fall[k] > 0.0 && G[k] < e.low) e.low = G[k], e.down = k;
  }
  return e;
}

/// First position of the largest score; positions without one score zero. `score(k)` must be branch-free.
template <class Score>
WM_INLINE void keep_best(Best& best, Index begin, Index end, Score score) {
  double scores[block_size];
  for (Index from = begin; from < end; from += block_size) {
    const Index size = std::min(end - from, block_size);
    double highest = 0.0;
#pragma omp simd reduction(max : highest)
    for (Index k = 0; k < size; ++k) {
      const double s = score(from + k);
      scores[k] = s;
      highest = s > highest ? s : highest;
    }
    if (highest > best.value) {
      Index k = 0;
      while (scores[k] != highest) ++k;
      best = {from + k, highest};
    }
  }
}

/// arg max of (G_i - G_k)^2 / Q_ik over k that can fall and have G_k < G_i.
template <class Real, class Column>
Index second_order(const Real* row_i, Column column, const double* G, const double* diagonal, const double* fall,
                   double G_i, double Q_ii, Index begin, Index end) {
  Best best;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    keep_best(best, begin, end, [&](Index k) WM_INLINE_LAMBDA {
      const double slope = G_i - G[k], least = flat(Q_ii, diagonal[k]);
      const double raw = Q_ii + diagonal[k] - 2.0 * static_cast<double>(row_i[column(k)]);
      const double curvature = raw > least ? raw : least;
      return (fall[k] > 0.0) & (slope > 0.0) ? slope * slope / curvature : 0.0;
    });
  });
  return best.index;
}

/// arg max over k of the gain of the pair {s, k} with the box respected: step (slope - curvature step / 2).
template <class Real, class Column>
Best most_gainful(const Real* row_s, Column column, const double* G, const double* diagonal, const double* rise,
                  const double* fall, Index s, bool only_as_riser, Index begin, Index end) {
  Best best;
  const double G_s = G[s], Q_ss = diagonal[s], rise_s = rise[s], fall_s = only_as_riser ? 0.0 : fall[s];
  const auto gain = [&](Index k) WM_INLINE_LAMBDA {
    const double difference = G_s - G[k], least = flat(Q_ss, diagonal[k]);
    const bool s_rises = difference > 0.0;
    const double slope = s_rises ? difference : -difference;
    const double mine = s_rises ? rise_s : fall_s, other = s_rises ? fall[k] : rise[k];
    const double room = mine < other ? mine : other;
    const double curvature = Q_ss + diagonal[k] - 2.0 * static_cast<double>(row_s[column(k)]);
    const double newton = slope / curvature;
    const double step = newton < room ? newton : room;
    return curvature > least ? step * (slope - 0.5 * curvature * step) : (room > 0.0 ? room * slope : 0.0);
  };
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    keep_best(best, begin, s, gain);
    keep_best(best, s + 1, end, gain);
  });
  return best;
}

}  // namespace sweep
}  // namespace wm
