#pragma once
// How far to go along a working pair:  a_i += step,  a_j -= step.

#include <memory>

#include "memory.hpp"
#include "state.hpp"

namespace wm {

template <class Real>
class StepRule {
 public:
  virtual ~StepRule() = default;
  virtual Step choose(State<Real>& state, const Pair& pair, const Memory& memory) = 0;
};

template <class Real>
using StepRulePtr = std::unique_ptr<StepRule<Real>>;

/// The optimum along the pair times `factor`, clipped to the box: factor 1 is SMO, 1.1 the over-relaxed step, which
/// gives up 1 % of the gain of a free step.
template <class Real>
class ClippedNewton final : public StepRule<Real> {
 public:
  explicit ClippedNewton(double factor = 1.0) : factor_(factor) {}

  Step choose(State<Real>& state, const Pair& pair, const Memory&) override {
    const double room = state.room_ahead(pair);
    const double newton = pair.curvature > state.flat(pair.i, pair.j) ? pair.slope / pair.curvature : infinity;
    const double wanted = factor_ * newton;
    return wanted < room ? Step{wanted, newton, StepKind::Free} : Step{room, newton, StepKind::Clipped};
  }

 private:
  double factor_;
};

/// Planning ahead (Glasmachers 2008, algorithm 7.3, and its multiple form): after a free step, the step that is best if
/// the next one goes along the previous pair again:
///
///   step = (Q22 w1 - Q12 w2) / (Q11 Q22 - Q12^2),    w slopes, Q curvatures, 1 this pair, 2 the previous one.
///
/// The plan holds if both steps stay strictly inside the box; of several recent pairs the most gainful plan is taken.
template <class Real>
class PlanningAhead final : public StepRule<Real> {
 public:
  PlanningAhead(int recent, bool only_after_free, Counters& counters)
      : recent_(recent), only_after_free_(only_after_free), counters_(counters) {}

  Step choose(State<Real>& state, const Pair& pair, const Memory& memory) override {
    Step step = newton_.choose(state, pair, memory);
    const bool may_plan = memory.kind == StepKind::Free || (!only_after_free_ && memory.kind == StepKind::Clipped);
    if (memory.empty() || !may_plan || std::isinf(step.newton)) return step;
    Plan best;
    for (int p = 0; p < recent_ && p < static_cast<int>(memory.pairs.size()); ++p) {
      const Plan plan = make(state, pair, memory.pairs[p]);
      if (plan.gain > best.gain) best = plan;
    }
    if (!(best.gain > 0.0)) {
      ++counters_.rejected_plans;
      return step;
    }
    return {best.step, step.newton, StepKind::Planned};
  }

 private:
  struct Plan {
    double step = 0.0, gain = 0.0;
  };

  Plan make(State<Real>& state, const Pair& now, const Remembered& next) const {
    const Index i = state.position(next.i), j = state.position(next.j);
    if (i < 0 || j < 0) return {};
    const auto *row_i = state.row(now.i), *row_j = state.row(now.j);
    const double Q11 = now.curvature, Q22 = next.curvature;
    const double Q12 = at(state, row_i, now.i, i) - at(state, row_i, now.i, j) - at(state, row_j, now.j, i) +
                       at(state, row_j, now.j, j);
    const double w1 = now.slope, w2 = state.gradient[i] - state.gradient[j];
    const double determinant = Q11 * Q22 - Q12 * Q12;
    if (!(Q22 > state.flat(i, j)) || !(determinant > 1e-12 * Q11 * Q22)) return {};
    const double first = (Q22 * w1 - Q12 * w2) / determinant;
    if (!(first < state.room_ahead(now) && first > -state.room_behind(now))) return {};
    const double second = (w2 - Q12 * first) / Q22;
    if (!inside(state, i, now, first, second) || !inside(state, j, now, first, -second)) return {};
    const double gain =
        w1 * first + w2 * second - 0.5 * (Q11 * first * first + Q22 * second * second) - Q12 * first * second;
    return {first, gain};
  }

  /// Q from the row of `owner`; its own entry carries the ridge, which the row does not.
  static double at(const State<Real>& state, const typename State<Real>::Entry* row, Index owner, Index k) {
    return k == owner ? state.diagonal(k) : state.kernel(row, k);
  }

  /// Whether variable k, after the first step along `now`, can still take `change` strictly inside its bounds.
  static bool inside(const State<Real>& state, Index k, const Pair& now, double first, double change) {
    const double moved = change + (k == now.i ? first : 0.0) - (k == now.j ? first : 0.0);
    return moved < state.rise[k] && moved > -state.fall[k];
  }

  ClippedNewton<Real> newton_;
  int recent_;
  bool only_after_free_;
  Counters& counters_;
};

}  // namespace wm
