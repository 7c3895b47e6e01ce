#pragma once
// Who moves together with a candidate.
//
//   most violating pair   the partner with the largest slope |G_s - G_p|
//   second order          the partner with the largest Newton gain (G_s - G_p)^2 / (2 Q_sp)
//
// among those that form a violating pair: the one with the larger gradient can rise, the other can fall.

#include "../policies.hpp"
#include "candidates.hpp"

namespace wm::online {

inline Pair pair_of(const Candidates& c, Index s, Index p, double kernel_sp) {
  const Index i = c.gradient[s] > c.gradient[p] ? s : p, j = i == s ? p : s;
  return {i, j, c.gradient[i] - c.gradient[j], c.diagonal[i] + c.diagonal[j] - 2.0 * kernel_sp};
}

/// In a pair with s the extremes of both sides are the most violating; -1 if none violates.
inline Index most_violating_partner(const Candidates& c, Index s) {
  const double as_riser = c.rise[s] > 0.0 ? c.gradient[s] - c.extremes.low : 0.0;
  const double as_faller = c.fall[s] > 0.0 ? c.extremes.high - c.gradient[s] : 0.0;
  if (!(std::max(as_riser, as_faller) > 0.0)) return -1;
  return as_riser >= as_faller ? c.extremes.down : c.extremes.up;
}

/// The row is that of s; `favour` says by slot how welcome a partner is. -1 if none violates.
inline Index second_order_partner(const Candidates& c, Index s, const float* row, const double* favour) {
  const double *const G = c.gradient.data(), *const Q = c.diagonal.data();
  const double *const rise = c.rise.data(), *const fall = c.fall.data();
  const double G_s = G[s], Q_ss = Q[s], rise_s = rise[s], fall_s = fall[s];
  sweep::Best best;
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
    best = sweep::best_of(0, c.slots(), [=](Index p) WM_INLINE_LAMBDA {
      const double difference = G_s - G[p], least = sweep::flat(Q_ss, Q[p]);
      const double raw = Q_ss + Q[p] - 2.0 * static_cast<double>(row[p]);
      const double curvature = raw > least ? raw : least;
      const double score = favour[p] * difference * difference / curvature;
      const double rise_p = rise[p], fall_p = fall[p];
      const double mine = difference > 0.0 ? rise_s : fall_s, other = difference > 0.0 ? fall_p : rise_p;
      return (mine > 0.0) & (other > 0.0) ? score : 0.0;
    });
  });
  return best.index;
}

}  // namespace wm::online
