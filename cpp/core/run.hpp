#pragma once
// What every solver does around its loop: stop when told to, look at all variables again in double precision, leave
// with an exact gradient, and record.

#include <optional>

#include "certificate.hpp"
#include "observer.hpp"
#include "shrinking.hpp"
#include "state.hpp"
#include "trace.hpp"

namespace wm {

enum class StopRule { Kkt, ShortStep };

struct RunOptions {
  Stop stop;
  StopRule rule = StopRule::Kkt;
  bool shrinking = true;
  bool newton = false;           // exact steps on the free variables, when pair steps gain less for their work
  bool believe = false;          // the gradient as it is maintained: whoever asked will check it himself
  bool may_need_double = false;  // leave with nothing when single precision rows cannot reach the tolerance
  std::optional<std::pair<Index, Index>> first_pair;
};

template <class Real>
class Run {
 public:
  Run(Iterate& iterate, std::size_t cache_bytes, const RunOptions& options, Observer& observer, Counters& counters,
      Trace& trace)
      : state(iterate, cache_bytes, counters),
        options(options),
        counters(counters),
        trace(trace),
        objective(dual_value(iterate)),
        iterate_(iterate),
        observer_(observer) {}

  State<Real> state;
  const RunOptions& options;
  Counters& counters;
  Trace& trace;
  double objective;             // exact after reload(), kept up to date by the solver
  double rounding_error = 0.0;  // of the gradient the solver had maintained, as the last reload() found it
  Status status = Status::Optimal;

  const Problem& problem() const { return iterate_.problem(); }
  const Gram& gram() const { return iterate_.gram(); }
  bool shrunk() const { return state.size() < state.total(); }

  /// True, so that a condition to stop can say why.
  bool stop(Status why) {
    status = why;
    return true;
  }

  bool out_of_iterations() { return options.stop.is_exhausted(counters.iterations) && stop(Status::MaxIterations); }

  bool told_to_stop() {
    return observer_.must_stop(options.stop, status, [&] { return progress(); });
  }

  /// All variables again, with a gradient that is exact where it matters; false if told to stop meanwhile.
  bool reload() {
    if (shrunk()) ++counters.unshrinks;
    if (!refresh([&] { return told_to_stop(); })) return false;
    rounding_error = iterate_.correction();
    state.activate_all();
    objective = dual_value(iterate_);
    return true;
  }

  /// Sets aside what `shrinking` finds settled, if no more than `share` is left.
  void shrink(const Shrinking& shrinking, double share = 1.0) {
    if (!shrunk()) iterate_.learn(state.variable, state.gradient);
    shrinking.apply(state, share);
  }

  /// Leaves with an exact gradient, unless somebody is waiting and it would take long.
  Status finish(Status why) {
    if (options.believe) return why;
    const double deadline = observer_.seconds() + patience(why);
    refresh([&] { return observer_.seconds() > deadline; });
    return why;
  }

  /// What rounding of rows does to the gradient, about.
  double rounding(Arithmetic precision = Arithmetic::Single) const { return iterate_.rounding(precision); }

  /// Of the `count`th step of a loop.
  void record(std::int64_t count, Index i, Index j, const Step& step) {
    if (trace.due(count)) trace.record(progress(), counters.cache_hits, state.variable[i], state.variable[j], step);
  }

 private:
  Progress progress() const {
    return {counters.iterations, state.violation(),           objective,
            state.size(),        counters.kernel_evaluations, observer_.seconds()};
  }

  /// An exact gradient of the iterate, or, if it takes too long, what the solver knows.
  template <class MustStop>
  bool refresh(MustStop must_stop) {
    std::vector<Index> unknown = iterate_.learn(state.variable, state.gradient);
    const bool complete = iterate_.template update<typename State<Real>::Entry>(std::move(unknown), must_stop) &&
                          iterate_.settle(state.error(), must_stop);
    if (!complete) iterate_.believe(state.variable, objective);
    return complete;
  }

  Iterate& iterate_;
  Observer& observer_;
};

}  // namespace wm
