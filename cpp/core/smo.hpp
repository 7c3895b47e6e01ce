#pragma once
// Sequential minimal optimisation (Platt 1998) with exchangeable parts.
//
//   repeat  B = (i, j)  <- working set selection
//           mu          <- step rule
//           a_i += mu,  a_j -= mu,  G -= mu (Q_i - Q_j)
//   until   psi(a) <= tolerance on all variables, with the gradient recomputed in double

#include <optional>

#include "certificate.hpp"
#include "free_set.hpp"
#include "observer.hpp"
#include "shrinking.hpp"
#include "step.hpp"
#include "trace.hpp"
#include "working_set.hpp"

namespace wm {

enum class StopRule { Kkt, ShortStep };

struct RunOptions {
  Stop stop;
  StopRule rule = StopRule::Kkt;
  bool shrinking = true;
  bool newton = false;           // exact steps on the free variables, when pair steps have cost as much as one would
  bool may_need_double = false;  // leave with nothing when single precision rows cannot reach the tolerance
  std::optional<std::pair<Index, Index>> first_pair;
};

template <class Real>
class Smo {
 public:
  Smo(Iterate& iterate, State<Real>& state, WorkingSet<Real>& working_set, StepRule<Real>& step_rule,
      const RunOptions& options, Observer& observer, Counters& counters, Trace& trace, PlanningRatios& ratios)
      : iterate_(iterate),
        state_(state),
        working_set_(working_set),
        step_rule_(step_rule),
        options_(options),
        shrinking_(options.shrinking, iterate.problem().size()),
        observer_(observer),
        counters_(counters),
        trace_(trace),
        ratios_(ratios) {}

  /// Nothing: single precision does not suffice, continue in double.
  std::optional<Status> run() {
    objective_ = dual_value(iterate_);
    while (true) {
      if (state_.violation() <= tolerance_ && verified()) return outcome(status_);
      if (must_stop()) return finish(outcome(status_));
      if (precision_exhausted_) return std::nullopt;

      const Pair pair = select();
      if (!pair.found()) {
        if (nothing_to_gain()) return outcome(status_);
        continue;
      }
      const Step step = step_rule_.choose(state_, pair, memory_);
      if (std::isinf(step.length)) return finish(Status::Unbounded);
      if (short_step(step) && verified_short_step()) return status_;
      if (!advance(pair, step) && nothing_to_gain()) return outcome(status_);

      if (shrinking_.due()) {
        if (step.kind == StepKind::Planned) {
          shrinking_.postpone();  // a plan must be able to recall its pairs
        } else {
          housekeeping();
        }
      }
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
    const double before_i = state_.alpha[pair.i], before_j = state_.alpha[pair.j];
    state_.move(pair, step.length);
    least_violation_ = std::min(least_violation_, state_.violation());
    period_work_ += state_.size();
    objective_ += step.length * (pair.slope - 0.5 * std::max(pair.curvature, 0.0) * step.length);
    ++counters_.iterations;
    count(step);
    if (trace_.due(counters_.iterations)) record(pair, step);
    memory_.remember({state_.variable[pair.i], state_.variable[pair.j], pair.curvature}, step.kind, step.ratio());
    return state_.alpha[pair.i] != before_i || state_.alpha[pair.j] != before_j;
  }

  void count(const Step& step) {
    if (step.kind == StepKind::Free) ++counters_.free_steps;
    if (step.kind == StepKind::Clipped) ++counters_.clipped_steps;
    if (step.kind == StepKind::Planned) {
      ++counters_.planning_steps;
      if (trace_.every > 0) ratios_.push_back(step.ratio());
    }
  }

  void housekeeping() {
    if (least_violation_ <= 10.0 * tolerance_ && !looked_back_ && state_.size() < state_.total()) {
      looked_back_ = true;  // near the end one look at everything saves running far into a wrongly shrunk problem
      reload();
    }
    shrinking_.apply(state_);
    if (std::is_same_v<Real, float> && options_.may_need_double) {
      state_.store();
      precision_exhausted_ = single_rounding * iterate_.rounding_scale() > 10.0 * tolerance_;
    }
    if (cone_) stretch();
    if (options_.newton) newton();
  }

  /// Optimal on the active variables: is it on all of them, in double?
  bool verified() {
    const bool shrunk = state_.size() < state_.total();
    const double believed = state_.violation();
    if (!reload()) return true;
    const double exact = state_.violation();
    if (exact <= tolerance_) {
      status_ = Status::Optimal;
      return !polish();
    }
    if (rounding_error_ > 0.25 * tolerance_) {
      // From an exact gradient, rounding only concerns what moves from here on: often a second try is enough.
      if (std::is_same_v<Real, float> && options_.may_need_double && ++rounding_failures_ > 1) {
        precision_exhausted_ = true;
        return false;
      }
      if (!shrunk && believed <= tolerance_ && exact > 0.5 * best_exact_ && ++stalls_ > 5) {
        status_ = Status::Stalled;
        return true;
      }
    }
    best_exact_ = std::min(best_exact_, exact);
    return false;
  }

  /// Goes on to a violation of rounding size if that was asked for; false if it is done or not wanted.
  bool polish() {
    if (polishing() || options_.stop.polish <= 0) return false;
    tolerance_ = 1e-11;
    polish_end_ = counters_.iterations + options_.stop.polish;
    return true;
  }
  bool polishing() const { return polish_end_ >= 0; }

  /// A polished solution is optimal whatever ended the polishing.
  Status outcome(Status status) const { return polishing() ? Status::Optimal : status; }

  bool short_step(const Step& step) const {
    return options_.rule == StopRule::ShortStep && working_set_.stops_at_short_step() && step.newton < tolerance_;
  }

  /// The authors' rule stops here, once it has fired with nothing set aside.
  bool verified_short_step() {
    const bool shrunk = state_.size() < state_.total();
    if (!reload()) return true;
    status_ = Status::Optimal;
    return !shrunk;
  }

  /// No pair, or none that moves: look at everything again; if that was already so, this is the end.
  bool nothing_to_gain() {
    const bool shrunk = state_.size() < state_.total();
    const std::int64_t since = counters_.iterations - last_standstill_;
    last_standstill_ = counters_.iterations;
    if (!reload()) return true;
    if (state_.violation() <= tolerance_) {
      status_ = Status::Optimal;
      return true;
    }
    if (shrunk || since > 1) return false;
    if (std::is_same_v<Real, float> && options_.may_need_double) {
      precision_exhausted_ = true;
      return false;
    }
    status_ = Status::Stalled;
    return true;
  }

  /// All variables with their exact gradient; false if told to stop meanwhile.
  bool reload() {
    if (state_.size() < state_.total()) ++counters_.unshrinks;
    state_.store();
    if (!iterate_.refresh([&] { return told_to_stop(); })) {
      iterate_.believe(state_.variable, state_.gradient, objective_);
      return false;
    }
    rounding_error_ = 0.0;
    for (Index k = 0; k < state_.size(); ++k)
      rounding_error_ = std::max(rounding_error_, std::abs(state_.gradient[k] - iterate_.gradient[state_.variable[k]]));
    state_.activate_all();
    objective_ = dual_value(iterate_);
    return true;
  }

  bool must_stop() {
    if (unbounded_) {
      status_ = Status::Unbounded;
      return true;
    }
    const std::int64_t limit = options_.stop.max_iterations;
    if ((limit >= 0 && counters_.iterations >= limit) || (polishing() && counters_.iterations >= polish_end_)) {
      status_ = Status::MaxIterations;
      return true;
    }
    if (counters_.iterations % 16 != 0 && counters_.cache_misses == misses_seen_) return false;
    misses_seen_ = counters_.cache_misses;
    return told_to_stop();
  }

  bool told_to_stop() {
    return observer_.must_stop(options_.stop, status_, [&] { return progress(); });
  }

  Progress progress() const {
    return {counters_.iterations, state_.violation(),           objective_,
            state_.size(),        counters_.kernel_evaluations, observer_.seconds()};
  }

  /// Leaves with an exact gradient, unless somebody is waiting and it would take long.
  Status finish(Status why) {
    const bool waited_for = why == Status::Interrupted || why == Status::MaxTime;
    const double deadline = waited_for ? observer_.seconds() + 0.1 : infinity;
    state_.store();
    if (!iterate_.refresh([&] { return observer_.seconds() > deadline; }))
      iterate_.believe(state_.variable, state_.gradient, objective_);
    return why;
  }

  /// Exact steps on the free variables once pair steps have cost several times as much: easy problems end before that.
  void newton() {
    FreeSet<Real> free(state_);
    const double change = static_cast<double>(free.size()) * state_.size();
    pair_work_ += sweep_work * period_work_;
    period_work_ = 0.0;
    const double budget = newton_share * pair_work_ - newton_work_;
    if (free.size() < 2 || free.size() > largest_free_set || free.work() + change > budget) return;
    newton_work_ += change + free.improve(budget - change, [&] { return told_to_stop(); });
    objective_ += free.store(state_);
    memory_.kind = StepKind::Clipped;  // a plan with the pair before would not know of this step
    ++counters_.newton_rounds;
  }

  /// On a cone the best multiple of a comes for nothing. Where the problem is unbounded this grows without limit, while
  /// pair steps alone would take for ever to show it.
  void stretch() {
    const double factor = state_.best_scale();
    double largest = 0.0;
    for (Index k = 0; k < state_.size(); ++k)
      largest = std::max(largest, std::abs(state_.alpha[k]) * std::max(state_.diagonal[k], 0.0));
    unbounded_ = std::isinf(factor) || factor * largest > 1e12;
    if (unbounded_ || !(factor > 1.0 + 1e-3)) return;
    state_.scale(factor);
    objective_ = 0.0;
    for (Index k = 0; k < state_.size(); ++k)
      objective_ += 0.5 * state_.alpha[k] * (iterate_.problem().linear[state_.variable[k]] + state_.gradient[k]);
  }

  void record(const Pair& pair, const Step& step) {
    trace_.iteration.push_back(counters_.iterations);
    trace_.i.push_back(state_.variable[pair.i]);
    trace_.j.push_back(state_.variable[pair.j]);
    trace_.objective.push_back(objective_);
    trace_.violation.push_back(state_.violation());
    trace_.active_size.push_back(state_.size());
    trace_.kernel_evaluations.push_back(counters_.kernel_evaluations);
    trace_.cache_hits.push_back(counters_.cache_hits);
    trace_.step.push_back(step.length);
    trace_.newton_step.push_back(step.newton);
    trace_.kind.push_back(static_cast<std::int8_t>(step.kind));
    trace_.seconds.push_back(observer_.seconds());
  }

  static constexpr double single_rounding = 6e-8;
  static constexpr double sweep_work = 8.0;        // operations of an iteration on one variable
  static constexpr double newton_share = 0.25;      // of the work of pair steps, for exact ones
  static constexpr Index largest_free_set = 1200;  // one factorisation stays within the time a Ctrl-C may wait

  Iterate& iterate_;
  State<Real>& state_;
  WorkingSet<Real>& working_set_;
  StepRule<Real>& step_rule_;
  const RunOptions& options_;
  Shrinking shrinking_;
  Observer& observer_;
  Counters& counters_;
  Trace& trace_;
  PlanningRatios& ratios_;
  Memory memory_;
  double tolerance_ = options_.stop.tolerance;
  std::int64_t polish_end_ = -1;
  Status status_ = Status::Optimal;
  double objective_ = 0.0, rounding_error_ = 0.0, best_exact_ = infinity, least_violation_ = infinity;
  bool looked_back_ = false, precision_exhausted_ = false, unbounded_ = false;
  const bool cone_ = iterate_.problem().is_cone();
  double pair_work_ = 0.0, period_work_ = 0.0, newton_work_ = 0.0;
  int stalls_ = 0, rounding_failures_ = 0;
  std::int64_t misses_seen_ = -1, last_standstill_ = -10;
};

}  // namespace wm
