#pragma once
// The passes over all active variables: everything a solver does that costs O(n).

#include <algorithm>
#include <cmath>

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
  Index operator()(Index k) const { return k; }
};
struct Listed {
  const Index* list;
  Index operator()(Index k) const { return list[k]; }
};

struct Best {
  Index index = -1;
  double value = 0.0;
};

inline Extremes extremes(const double* G, const double* rise, const double* fall, Index begin, Index end) {
  Extremes e;
  for (Index k = begin; k < end; ++k) {
    if (rise[k] > 0.0 && G[k] > e.high) e.high = G[k], e.up = k;
    if (fall[k] > 0.0 && G[k] < e.low) e.low = G[k], e.down = k;
  }
  return e;
}

/// G -= step (K_i - K_j), and the extremes of the new gradient.
template <class Real, class Column>
Extremes update(const Real* row_i, const Real* row_j, Column column, double step, double* G, const double* rise,
                const double* fall, Index begin, Index end) {
  for (Index k = begin; k < end; ++k)
    G[k] -= step * (static_cast<double>(row_i[column(k)]) - static_cast<double>(row_j[column(k)]));
  return extremes(G, rise, fall, begin, end);
}

/// arg max of (G_i - G_k)^2 / Q_ik over k that can fall and have G_k < G_i.
template <class Real, class Column>
Index second_order(const Real* row_i, Column column, const double* G, const double* diagonal, const double* fall,
                   double G_i, double Q_ii, Index begin, Index end) {
  Index best = -1;
  double best_score = 0.0;
  for (Index k = begin; k < end; ++k) {
    const double slope = G_i - G[k];
    if (!(fall[k] > 0.0 && slope > 0.0)) continue;
    const double flat = 1e-12 * std::max(1.0, Q_ii + diagonal[k]);
    const double curvature = std::max(Q_ii + diagonal[k] - 2.0 * static_cast<double>(row_i[column(k)]), flat);
    const double score = slope * slope / curvature;
    if (score > best_score) best_score = score, best = k;
  }
  return best;
}

/// arg max over k of the gain of the pair {s, k} with the box respected: step (slope - curvature step / 2).
template <class Real, class Column>
Best most_gainful(const Real* row_s, Column column, const double* G, const double* diagonal, const double* rise,
                  const double* fall, Index s, bool only_as_riser, Index begin, Index end) {
  Best best;
  for (Index k = begin; k < end; ++k) {
    const double difference = G[s] - G[k];
    if (k == s || difference == 0.0 || (only_as_riser && difference < 0.0)) continue;
    const double room = difference > 0.0 ? std::min(rise[s], fall[k]) : std::min(fall[s], rise[k]);
    if (!(room > 0.0)) continue;
    const double slope = std::abs(difference);
    const double flat = 1e-12 * std::max(1.0, diagonal[s] + diagonal[k]);
    const double curvature = std::max(diagonal[s] + diagonal[k] - 2.0 * static_cast<double>(row_s[column(k)]), 0.0);
    const double step = std::min(room, slope / curvature);
    const double gain = curvature > flat ? step * (slope - 0.5 * curvature * step) : room * slope;
    if (gain > best.value) best = {k, gain};
  }
  return best;
}

}  // namespace sweep
}  // namespace wm
