#pragma once
// What can be proved about a feasible point a with exact gradient G.
//
// With one offset r per group, h = linear - K a - r and s the sums of the groups, weak duality gives for every r
//
//   f(a) <= f* <= P(r) = 1/2 a'Ka + sum_i max { h_i t - ridge_i t^2 / 2 : lower_i <= t <= upper_i } + r's,
//
// and P is the primal value of the machine: the maxima are its losses (C xi for the soft margin, C xi^2 / 2 for the
// squared one). The KKT violation is  psi = max over groups of  max{G_i : a_i < upper_i} - min{G_j : a_j > lower_j}.

#include <algorithm>
#include <cmath>
#include <vector>

#include "iterate.hpp"

namespace wm {

struct Certificate {
  double dual, primal, gap, violation;
  std::vector<double> offset, offset_low, offset_high;  // by group
};

namespace detail {

/// max { h t - ridge t^2 / 2 : lower <= t <= upper }; a slope within `slack` of zero is zero where a bound is infinite.
inline double best_loss(double h, double ridge, double lower, double upper, double slack) {
  double t;
  if (ridge > 0.0) {
    t = std::clamp(h / ridge, lower, upper);
  } else {
    t = h > 0.0 ? upper : lower;
    if (std::isinf(t)) return std::abs(h) <= slack ? 0.0 : infinity;
  }
  return t == 0.0 ? 0.0 : h * t - 0.5 * ridge * t * t;
}

}  // namespace detail

inline Certificate certify(const Iterate& at) {
  const Problem& problem = at.problem();
  const std::vector<double>&a = at.alpha, &G = at.gradient;
  Certificate c{0.0, 0.0, 0.0, 0.0, {}, {}, {}};
  for (Index g = 0; g < problem.groups(); ++g) {
    double up = -infinity, down = infinity, free_sum = 0.0;
    Index free_count = 0;
    bool grounded = false;
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v) {
      grounded |= problem.grounded(v);
      const bool can_rise = a[v] < problem.upper[v], can_fall = a[v] > problem.lower[v];
      if (can_rise) up = std::max(up, G[v]);
      if (can_fall) down = std::min(down, G[v]);
      if (can_rise && can_fall) free_sum += G[v], ++free_count;
    }
    c.violation = std::max(c.violation, up - down);
    // At an optimum [up, down] holds every admissible offset; one end is open when all variables sit at the same bound.
    c.offset_low.push_back(std::min(up, down));
    c.offset_high.push_back(std::max(up, down));
    double r = 0.5 * (up + down);
    if (std::isinf(up) || std::isinf(down)) r = std::isinf(up) ? down : up;
    if (free_count > 0) r = free_sum / free_count;
    c.offset.push_back(grounded || std::isinf(r) ? 0.0 : r);
  }
  const double slack = std::max(c.violation, 1e-12);
  for (Index g = 0; g < problem.groups(); ++g)
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v) {
      const double ridge = problem.ridge_of(v), h = G[v] + ridge * a[v] - c.offset[g];
      c.dual += 0.5 * a[v] * (problem.linear[v] + G[v]);
      // P - D term by term: each is what this variable could still gain, and none is negative.
      c.gap += std::max(0.0, detail::best_loss(h, ridge, problem.lower[v], problem.upper[v], slack) -
                                 (h * a[v] - 0.5 * ridge * a[v] * a[v]));
    }
  c.primal = c.dual + c.gap;
  return c;
}

}  // namespace wm
