#pragma once
// Exact steps on the free variables of a state (free_set.hpp), where pair steps may take millions of iterations:
//
//   d <- the step to the best point with all other variables fixed
//   go along d to that point or to the first bound; a variable that meets a bound leaves the set; again
//
// While bounds are being met only the gradient of the free variables is kept up to date, by Q_FF in double precision;
// that of the others follows once, in the end.

#include <algorithm>
#include <cmath>
#include <vector>

#include "free_set.hpp"
#include "types.hpp"

namespace wm {

/// A State has positions with gradient and bounds, blocks of Q, and takes changes (state.hpp).
template <class State>
class ExactSteps {
 public:
  explicit ExactSteps(State& state) : state_(state), free_(state.groups()) {
    for (Index k = 0; k < state.size(); ++k)
      if (state.can_rise(k) && state.can_fall(k)) member_.push_back(k);
  }

  Index size() const { return static_cast<Index>(member_.size()); }

  /// Multiplications, or what takes as long: the block of Q, its factor, a few steps and the gradient of all variables.
  double work() const {
    const double m = size();
    return m * (m * (block_entry + 4.0 * step_entry + m / 6.0) + gradient_entry * state_.size());
  }

  /// Steps until one is not cut short, `budget` is spent or `must_stop()` says so. Returns what was spent.
  template <class MustStop>
  double improve(double budget, MustStop must_stop) {
    double spent = work(), spread = infinity;
    if (!load(must_stop)) return spent;
    while (free_.size() > 1 && spent < budget && !must_stop()) {
      spent += step_entry * free_.size() * free_.size();
      if (step()) continue;
      const double left = largest_spread();
      if (!(left < 0.5 * spread)) break;  // the same step again takes out what rounding has left, as far as it can
      spread = left;
    }
    return spent;
  }

  /// Hands the new values to the state; returns the gain of the objective, none if told to stop before that was done.
  template <class MustStop>
  double store(MustStop must_stop) {
    std::vector<Index> moved;
    std::vector<double> by;
    for (std::size_t a = 0; a < alpha_.size(); ++a)
      if (const double change = alpha_[a] - state_.alpha(member_[a]); change != 0.0) {
        moved.push_back(member_[a]);
        by.push_back(change);
      }
    if (!state_.change(moved, by, must_stop)) return 0.0;
    state_.rescan();
    return gain_;
  }

 private:
  static constexpr double block_entry = 8.0, step_entry = 8.0, gradient_entry = 4.0;  // multiplications

  template <class MustStop>
  bool load(MustStop must_stop) {
    const std::size_t m = member_.size();
    SquareMatrix Q(m);
    if (!state_.exact_block(member_, Q, must_stop)) return false;
    std::vector<Index> group(m);
    for (std::size_t a = 0; a < m; ++a) {
      group[a] = state_.group_of(member_[a]);
      alpha_.push_back(state_.alpha(member_[a]));
      gradient_.push_back(state_.gradient[member_[a]]);
      still_free_.push_back(static_cast<Index>(a));
    }
    return free_.factorise(std::move(Q), std::move(group), must_stop);
  }

  /// One exact step, or to the first bound, whose variables then leave; true if there are such.
  bool step() {
    const std::vector<double> d = free_.approximate(gradient_, std::vector<double>(free_.groups(), 0.0)).d;
    const std::vector<double> Qd = free_.multiply(d);
    double slope = 0.0, curvature = 0.0, room = infinity;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const Index a = still_free_[i], k = member_[a];
      const double ahead = d[i] > 0.0 ? state_.upper(k) - alpha_[a] : alpha_[a] - state_.lower(k);
      if (d[i] != 0.0) room = std::min(room, ahead / std::abs(d[i]));
      slope += gradient_[i] * d[i];
      curvature += Qd[i] * d[i];
    }
    const double length = std::min(curvature > 0.0 ? slope / curvature : infinity, room);
    if (!(slope > 0.0) || std::isinf(length)) return false;
    gain_ += length * (slope - 0.5 * length * curvature);
    for (std::size_t i = 0; i < d.size(); ++i) {
      alpha_[still_free_[i]] += length * d[i];
      gradient_[i] -= length * Qd[i];
    }
    bool cut_short = false;
    for (std::size_t i = d.size(); i-- > 0;)
      if (snap(still_free_[i], length * d[i])) {
        free_.remove(static_cast<Index>(i));
        gradient_.erase(gradient_.begin() + i);
        still_free_.erase(still_free_.begin() + i);
        cut_short = true;
      }
    return cut_short;
  }

  /// A value within rounding of a bound becomes the bound; true if it does.
  bool snap(Index a, double moved) {
    const double lower = state_.lower(member_[a]), upper = state_.upper(member_[a]);
    const double rounding = 1e-14 * std::max(std::abs(moved), std::abs(alpha_[a]));
    if (upper - alpha_[a] <= rounding)
      alpha_[a] = upper;
    else if (alpha_[a] - lower <= rounding)
      alpha_[a] = lower;
    else
      return false;
    return true;
  }

  /// The largest difference of gradients within a group: zero at the best point.
  double largest_spread() const {
    std::vector<double> high(free_.groups(), -infinity), low(free_.groups(), infinity);
    double spread = 0.0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const Index g = free_.group(static_cast<Index>(i));
      high[g] = std::max(high[g], gradient_[i]);
      low[g] = std::min(low[g], gradient_[i]);
      spread = std::max(spread, high[g] - low[g]);
    }
    return spread;
  }

  State& state_;
  FreeSet free_;
  std::vector<Index> member_;      // positions in the state
  std::vector<double> alpha_;      // by member
  std::vector<Index> still_free_;  // by position in the free set: member
  std::vector<double> gradient_;   // by position in the free set
  double gain_ = 0.0;
};

}  // namespace wm
