#pragma once
// The exact best multipliers of one example, all others being fixed.
//
// With q = K_ii the gradient at the new multipliers a is h - q (a - alpha + shift (A(a) - A)), where shift is 1
// (relative margins) or -1/N (absolute ones). Hence, for t_k = q (alpha_k + shift A) + h_k and one number s,
//
//   a_k = clip((t_k - s) / q, 0, C),   sum_k a_k = s / q          (Weston-Watkins)
//   a_k = max(0, (t_k - s) / q),       sum_k a_k = min(s / q, C)  (Crammer-Singer)
//   a_k = clip((t_k - s) / q, 0, C),   sum_k a_k = -N s / q       (Lee-Lin-Wahba)
//
// The difference of both sides of the second equation is piecewise linear and strictly monotone in s: its root is found
// by walking through the sorted breakpoints.

#include <algorithm>
#include <vector>

#include "problem.hpp"

namespace wm::joint {

class Block {
 public:
  explicit Block(const Problem& problem) : problem_(problem), target_(problem.classes) {
    breakpoints_.reserve(2 * problem.classes);
  }

  /// Replaces alpha, feasible, by the best multipliers of an example with label y and price C; h and alpha by class.
  void solve(Index y, double q, double C, const double* h, double* alpha) {
    const Index N = problem_.classes;
    double total = 0.0, size = 0.0;
    for (Index k = 0; k < N; ++k) {
      total += alpha[k];
      if (k != y) size = std::max(size, std::abs(h[k]));
    }
    if (!(q * C > flat * size)) return go_to_vertex(y, C, h, alpha);
    const double shift = problem_.relative() ? 1.0 : -1.0 / N;
    for (Index k = 0; k < N; ++k) target_[k] = q * (alpha[k] + shift * total) + h[k];
    const double s = root(y, q, C);
    for (Index k = 0; k < N; ++k) alpha[k] = k == y ? 0.0 : snapped((target_[k] - s) / q, C);
    if (problem_.one_slack()) fit(y, C, s >= q * C, alpha);
  }

 private:
  struct Breakpoint {
    double at, bend;  // by which the slope changes
  };

  static double snapped(double a, double C) {
    constexpr double hair = 1e-14;
    return a <= hair * C ? 0.0 : a >= C * (1.0 - hair) ? C : a;
  }

  /// The sum is C where it has to be, and nowhere more.
  void fit(Index y, double C, bool full, double* alpha) const {
    double total = 0.0;
    for (Index k = 0; k < problem_.classes; ++k) total += alpha[k];
    if (total == 0.0 || (total <= C && !full)) return;
    double rest = C;
    Index largest = y == 0 ? 1 : 0;
    for (Index k = 0; k < problem_.classes; ++k) {
      alpha[k] *= C / total;
      if (alpha[k] > alpha[largest]) largest = k;
    }
    for (Index k = 0; k < problem_.classes; ++k)
      if (k != largest) rest -= alpha[k];
    alpha[largest] = rest;
  }

  /// Where there is no curvature: a maximiser of the linear function.
  void go_to_vertex(Index y, double C, const double* h, double* alpha) const {
    Index best = y;
    for (Index k = 0; k < problem_.classes; ++k)
      if (k != y && h[k] > (best == y ? 0.0 : h[best])) best = k;
    for (Index k = 0; k < problem_.classes; ++k)
      alpha[k] = k != y && (problem_.one_slack() ? k == best : h[k] > 0.0) ? C : 0.0;
  }

  /// The s that makes  q sum_k a_k(s) - (what it has to be)  zero.
  double root(Index y, double q, double C) {
    const bool one_slack = problem_.one_slack();
    breakpoints_.clear();
    for (Index k = 0; k < problem_.classes; ++k) {
      if (k == y) continue;
      breakpoints_.push_back({target_[k], +1.0});
      if (!one_slack) breakpoints_.push_back({target_[k] - q * C, -1.0});
    }
    if (one_slack) breakpoints_.push_back({q * C, +1.0});
    std::sort(breakpoints_.begin(), breakpoints_.end(),
              [](const Breakpoint& a, const Breakpoint& b) { return a.at < b.at; });
    const double others = problem_.classes - 1;
    double slope = problem_.relative() ? -1.0 : problem_.classes;
    if (one_slack) slope -= others;
    double s = breakpoints_.front().at, value = excess(y, q, C, s);
    const bool falling = slope < 0.0;
    if (falling ? value <= 0.0 : value >= 0.0) return s - value / slope;
    for (std::size_t b = 0; b < breakpoints_.size(); ++b) {
      slope += breakpoints_[b].bend;
      const bool last = b + 1 == breakpoints_.size();
      const double next = last ? infinity : breakpoints_[b + 1].at;
      const double after = last ? 0.0 : value + slope * (next - s);
      if (last || (falling ? after <= 0.0 : after >= 0.0)) return slope == 0.0 ? s : std::min(next, s - value / slope);
      s = next;
      value = after;
    }
    return s;
  }

  double excess(Index y, double q, double C, double s) const {
    const bool one_slack = problem_.one_slack();
    double sum = 0.0;
    for (Index k = 0; k < problem_.classes; ++k)
      if (k != y) sum += std::clamp(target_[k] - s, 0.0, one_slack ? infinity : q * C);
    if (!problem_.relative()) return sum + problem_.classes * s;
    return sum - (one_slack ? std::min(s, q * C) : s);
  }

  static constexpr double flat = 1e-14;

  const Problem& problem_;
  std::vector<double> target_;
  std::vector<Breakpoint> breakpoints_;
};

}  // namespace wm::joint
