#pragma once
// Sequential minimal optimisation (Platt 1998) with exchangeable parts.
//
//   repeat  B = (i, j)  <- working set selection
//           mu          <- step rule
//           a_i += mu,  a_j -= mu,  G -= mu (Q_i - Q_j)
//   until   psi(a) <= tolerance on all variables, with the gradient recomputed in double

#include <optional>

#include "goal.hpp"
#include "newton_finish.hpp"
#include "run.hpp"
#include "shrinking.hpp"
#include "step.hpp"
#include "working_set.hpp"

namespace wm {

template <class Real>
class Smo {
 public:
  Smo(Run<Real>& run, WorkingSet<Real>& working_set, StepRule<Real>& step_rule)
      : run_(run), working_set_(working_set), step_rule_(step_rule) {}

  /// Nothing: single precision does not suffice, continue in double.
  std::optional<Status> run() {
    while (true) {
      goal_.end_polish_if_due(counters_.iterations);
      if (state_.violation() <= tolerance() && verified()) return outcome(run_.status);
      if (must_stop()) return run_.finish(outcome(run_.status));
      if (precision_exhausted_) return std::nullopt;

      const Pair pair = select();
      if (!pair.found()) {
        if (nothing_to_gain()) return outcome(run_.status);
        continue;
      }
      const Step step = step_rule_.choose(state_, pair, memory_);
      if (std::isinf(step.length)) return run_.finish(Status::Unbounded);
      if (short_step(step) && verified_short_step()) return run_.status;
      if (!advance(pair, step) && nothing_to_gain()) return outcome(run_.status);

      if (shrinking_.due()) {
        if (step.kind == StepKind::Planned) {
          shrinking_.postpone();  // a plan must be able to recall its pairs
        } else {
          housekeeping();
          if (counters_.iterations >= next_look_ && gains_nothing()) return outcome(run_.status);
        }
      }
      if (options_.newton && newton_finish_.due() && step.kind != StepKind::Planned) step_exactly();
    }
  }

 private:
  Pair select() {
    if (memory_.empty() && options_.first_pair) {
      const Index i = state_.position(options_.first_pair->first), j = state_.position(options_.first_pair->second);
      if (i >= 0 && j >= 0 && i != j && state_.group_of(i) == state_.group_of(j)) {
        const Pair forced = state_.gradient[i] > state_.gradient[j]
                                ? state_.pair(i, j, state_.kernel(state_.row(i), j))
                                : state_.pair(j, i, state_.kernel(state_.row(j), i));
        if (forced.slope > 0.0 && state_.room_ahead(forced) > 0.0) return forced;
      }
    }
    return working_set_.select(state_, memory_);
  }

  /// Takes the step; false if it was too short to change anything.
  bool advance(const Pair& pair, const Step& step) {
    const double before_i = state_.alpha(pair.i), before_j = state_.alpha(pair.j);
    state_.move(pair, step.length);
    least_violation_ = std::min(least_violation_, state_.violation());
    newton_finish_.count_sweep(state_.size());
    run_.objective += step.length * (pair.slope - 0.5 * std::max(pair.curvature, 0.0) * step.length);
    ++counters_.iterations;
    count(step);
    run_.record(counters_.iterations, pair.i, pair.j, step);
    memory_.remember({state_.variable[pair.i], state_.variable[pair.j], pair.curvature}, step);
    return state_.alpha(pair.i) != before_i || state_.alpha(pair.j) != before_j;
  }

  void count(const Step& step) {
    if (step.kind == StepKind::Free) ++counters_.free_steps;
    if (step.kind == StepKind::Clipped) ++counters_.clipped_steps;
    if (step.kind == StepKind::Planned) {
      ++counters_.planning_steps;
      if (run_.trace.every > 0) run_.trace.planning_ratios.push_back(step.ratio());
    }
  }

  /// Shorter rows are read faster, but have to be made first.
  static constexpr double worth_copying = 0.6;

  void housekeeping() {
    if (least_violation_ <= 10.0 * tolerance() && !looked_back_ && run_.shrunk()) {
      looked_back_ = true;  // near the end one look at everything saves running far into a wrongly shrunk problem
      run_.reload();
    }
    if (cone_) stretch();
    run_.shrink(shrinking_, state_.rows_lie_ready() ? worth_copying : 1.0);
    if (options_.may_need_double) precision_exhausted_ = run_.rounding() > tolerance();
  }

  void step_exactly() {
    if (!newton_finish_.apply(run_)) return;
    memory_.kind = StepKind::Clipped;  // a plan with the pair before would not know of this step
    ++counters_.newton_rounds;
  }

  /// Optimal on the active variables: is it on all of them, in double?
  bool verified() {
    if (options_.believe) return run_.stop(Status::Optimal);
    const bool shrunk = run_.shrunk();
    const double believed = state_.violation();
    if (!run_.reload()) return true;
    const double exact = state_.violation();
    if (exact <= tolerance()) {
      run_.status = Status::Optimal;
      return !goal_.polish(counters_.iterations);
    }
    if (run_.rounding_error > 0.25 * tolerance()) {
      // From an exact gradient, rounding only concerns what moves from here on: often a second try is enough.
      if (options_.may_need_double && ++rounding_failures_ > 1) {
        precision_exhausted_ = true;
        return false;
      }
      if (!shrunk && believed <= tolerance() && goal_.in_vain(exact, 5)) return run_.stop(Status::Stalled);
    }
    goal_.missed(exact, run_.rounding_error);
    return false;
  }

  double tolerance() const { return goal_.tolerance(); }

  Status outcome(Status status) const { return goal_.outcome(status, state_.violation()); }

  bool short_step(const Step& step) const {
    return options_.rule == StopRule::ShortStep && working_set_.stops_at_short_step() && step.newton < tolerance();
  }

  /// The authors' rule stops here, once it has fired with nothing set aside.
  bool verified_short_step() {
    const bool shrunk = run_.shrunk();
    if (!run_.reload()) return true;
    run_.status = Status::Optimal;
    return !shrunk;
  }

  /// No pair, or none that moves: look at everything again; if that was already so, this is the end.
  bool nothing_to_gain() {
    const bool shrunk = run_.shrunk();
    const std::int64_t since = counters_.iterations - last_standstill_;
    last_standstill_ = counters_.iterations;
    if (!run_.reload()) return true;
    if (state_.violation() <= tolerance()) return run_.stop(Status::Optimal);
    if (shrunk || since > 1) return false;
    if (options_.may_need_double) {
      precision_exhausted_ = true;
      return false;
    }
    return run_.stop(Status::Stalled);
  }

  /// Whether very many steps have gained nothing, as an exact gradient sees it: where rounding is not far below the
  /// tolerance it can keep them going for ever.
  bool gains_nothing() {
    next_look_ = counters_.iterations + very_many_;
    if (run_.rounding(Arithmetic::Double) < 1e-3 * tolerance()) return false;
    if (!run_.reload()) return true;
    const double before = std::exchange(objective_seen_, run_.objective);
    if (run_.objective - before > 1e-13 * std::abs(before)) return false;
    precision_exhausted_ = options_.may_need_double;
    return !precision_exhausted_ && run_.stop(Status::Stalled);
  }

  bool must_stop() {
    if (unbounded_) return run_.stop(Status::Unbounded);
    if (run_.out_of_iterations()) return true;
    if (counters_.iterations % 16 != 0 && counters_.cache_misses == misses_seen_) return false;
    misses_seen_ = counters_.cache_misses;
    return run_.told_to_stop();
  }

  /// On a cone the best multiple of a comes for nothing. Where the problem is unbounded this grows without limit, while
  /// pair steps alone would take for ever to show it.
  void stretch() {
    if (!(state_.best_scale() > 1.01) || !run_.reload()) return;
    const double factor = state_.best_scale();  // again, from an exact gradient: a'Qa may have cancelled away
    double largest = 0.0;
    for (Index k = 0; k < state_.size(); ++k)
      largest = std::max(largest, std::abs(state_.alpha(k)) * std::max(state_.diagonal(k), 0.0));
    unbounded_ = std::isinf(factor) || factor * largest > 1e12;
    if (unbounded_ || factor <= 1.0) return;
    state_.scale(factor);
    run_.objective = state_.objective();
  }

  Run<Real>& run_;
  WorkingSet<Real>& working_set_;
  StepRule<Real>& step_rule_;
  State<Real>& state_ = run_.state;
  const RunOptions& options_ = run_.options;
  Counters& counters_ = run_.counters;
  Shrinking shrinking_{options_.shrinking, state_.total()};
  NewtonFinish<Real> newton_finish_{run_.objective};
  Memory memory_;
  Goal goal_{options_.stop};
  double least_violation_ = infinity;
  bool looked_back_ = false, precision_exhausted_ = false, unbounded_ = false;
  const bool cone_ = run_.problem().is_cone();
  int rounding_failures_ = 0;
  std::int64_t misses_seen_ = -1, last_standstill_ = -10;
  const std::int64_t very_many_ = std::max<std::int64_t>(100'000, 100 * std::int64_t{state_.total()});
  std::int64_t next_look_ = counters_.iterations + very_many_;
  double objective_seen_ = run_.objective;
};

}  // namespace wm
