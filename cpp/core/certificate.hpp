#pragma once
// What can be proved about a feasible point a with exact gradient G.
//
// With one offset r per group, h = linear - K a - r and s the sums of the groups, weak duality gives for every r
//
//   f(a) <= f* <= P(r) = 1/2 a'Ka + sum_i max { h_i t - ridge_i t^2 / 2 : lower_i <= t <= upper_i } + r's,
//
// and P is the primal value of the machine: the maxima are its losses (C xi for the soft margin, C xi^2 / 2 for the
// squared one). Where a bound is infinite and no ridge helps, P is infinite unless h has the right sign there; then
// (c a, c r) with the smallest c >= 1 that gives it takes the place of (a, r): a margin made one by scaling.
// The KKT violation is  psi = max over groups of  max{G_i : a_i < upper_i} - min{G_j : a_j > lower_j}.
//
// A Point is the iterate of any solver: problem(), alpha, gradient(v), exact(), belief().

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

/// max { h t - ridge t^2 / 2 : lower <= t <= upper }; a slope that points to an infinite bound is rounding, and zero.
inline double best_loss(double h, double ridge, double lower, double upper) {
  const double t = ridge > 0.0 ? std::clamp(h / ridge, lower, upper) : (h > 0.0 ? upper : lower);
  return t == 0.0 || std::isinf(t) ? 0.0 : h * t - 0.5 * ridge * t * t;
}

/// The smallest c >= 1 with linear - c q of the sign an infinite bound asks for; infinite if there is none.
inline double feasible_scale(double linear, double q, double ridge, double lower, double upper) {
  if (ridge > 0.0) return 1.0;
  double c = 1.0;
  const double rounding = 1e-14 * std::max(1.0, std::abs(linear));
  if (std::isinf(upper) && linear - q > rounding) c = q > 0.0 ? linear / q : infinity;
  if (std::isinf(lower) && linear - q < -rounding) c = q < 0.0 ? linear / q : infinity;
  return c >= 1.0 ? c : infinity;
}

/// Violation and offsets, from the variables whose gradient is known.
template <class Point>
void find_offsets(const Point& at, Certificate& c) {
  const Problem& problem = at.problem();
  const std::vector<double>& a = at.alpha;
  std::vector<char> known(problem.size(), at.exact());
  for (Index v : at.belief().variables) known[v] = 1;
  for (Index g = 0; g < problem.groups(); ++g) {
    double up = -infinity, down = infinity, free_sum = 0.0;
    Index free_count = 0;
    bool grounded = false;
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v) {
      if (!known[v]) continue;
      grounded |= problem.grounded(v);
      const bool can_rise = a[v]<problem.upper[v], can_fall = a[v]> problem.lower[v];
      const double G = at.gradient(v);
      if (can_rise) up = std::max(up, G);
      if (can_fall) down = std::min(down, G);
      if (can_rise && can_fall) free_sum += G, ++free_count;
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
}

/// P - D, term by term: at scale 1 each term is what this variable could still gain, and none is negative.
template <class Point>
double duality_gap(const Point& at, const std::vector<double>& offset) {
  const Problem& problem = at.problem();
  auto Ka = [&](Index v) { return problem.linear[v] - at.gradient(v) - problem.ridge_of(v) * at.alpha[v]; };
  double scale = 1.0, gap = 0.0;
  for (Index g = 0; g < problem.groups(); ++g)
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v)
      scale = std::max(scale, feasible_scale(problem.linear[v], Ka(v) + offset[g], problem.ridge_of(v),
                                             problem.lower[v], problem.upper[v]));
  if (std::isinf(scale)) return infinity;
  for (Index g = 0; g < problem.groups(); ++g)
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v) {
      const double a = at.alpha[v], ridge = problem.ridge_of(v), r = scale * offset[g];
      const double loss = best_loss(problem.linear[v] - scale * Ka(v) - r, ridge, problem.lower[v], problem.upper[v]);
      gap += loss - (problem.linear[v] - r - 0.5 * (1.0 + scale * scale) * Ka(v)) * a + 0.5 * ridge * a * a;
    }
  return std::max(0.0, gap);
}

}  // namespace detail

template <class Point>
double dual_value(const Point& at) {
  double sum = 0.0;
  for (Index v = 0; v < at.problem().size(); ++v) sum += 0.5 * at.alpha[v] * (at.problem().linear[v] + at.gradient(v));
  return sum;
}

/// Without an exact gradient only what the solver believed: no bound on the optimum then; nothing at all if it was
/// stopped before it had a gradient.
template <class Point>
Certificate certify(const Point& at) {
  Certificate c{};
  detail::find_offsets(at, c);
  if (!at.exact() && at.belief().variables.empty()) {
    c.dual = -infinity;
    c.primal = c.gap = c.violation = infinity;
    return c;
  }
  c.dual = at.exact() ? dual_value(at) : at.belief().objective;
  c.gap = at.exact() ? detail::duality_gap(at, c.offset) : infinity;
  c.primal = c.dual + c.gap;
  return c;
}

}  // namespace wm
