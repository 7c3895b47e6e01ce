#pragma once
// From a problem to a certified solution: single-precision rows as long as they suffice, double after that.

#include "policies.hpp"
#include "smo.hpp"

namespace wm {

enum class Precision { Auto, Single, Double };

struct Settings {
  Policies policies;
  RunOptions run;
  Precision precision = Precision::Auto;
  std::size_t cache_bytes = std::size_t{200} << 20;
  int threads = 1;
};

struct Solution {
  std::vector<double> alpha, gradient;
  std::vector<double> weights;  // of a linear kernel: those of the primal value; else none
  Status status;
  Certificate certificate;
  bool exact;  // certificate read from an exact gradient (a run stopped in a hurry may not have one)
  double seconds;
  Counters counters;
  Trace trace;
};

/// A start that rounding left a hair from a bound goes to the bound: variables inside the box are free to the policies.
inline std::vector<double> snapped_start(const Problem& problem) {
  std::vector<double> start(problem.start.begin(), problem.start.end());
  for (Index v = 0; v < problem.size(); ++v) {
    const double width = problem.upper[v] - problem.lower[v], hair = std::isinf(width) ? 0.0 : 1e-13 * width;
    if (start[v] - problem.lower[v] <= hair) start[v] = problem.lower[v];
    if (problem.upper[v] - start[v] <= hair) start[v] = problem.upper[v];
  }
  return start;
}

/// Gives `attempt` a run with rows in float and, if that cannot reach the tolerance, one in double from where it
/// stopped.
template <class Attempt>
Solution solve_with(const Problem& problem, const Gram& gram, Settings settings, Observer& observer,
                    std::int64_t trace_every, Attempt attempt) {
  Solution solution{};
  solution.trace.every = trace_every;
  Iterate iterate(problem, gram, snapped_start(problem), settings.threads, solution.counters);
  auto must_stop = [&](Status& told) {
    return observer.must_stop(settings.run.stop, told, [&] {
      const Counters& so_far = solution.counters;  // in double, of the run in single precision
      return Progress{so_far.iterations, infinity, 0.0, problem.size(), so_far.kernel_evaluations, observer.seconds()};
    });
  };
  auto attempt_in = [&]<class Real>(Real) -> std::optional<Status> {
    Status told = Status::Interrupted;
    if (!iterate.start<Real>([&] { return must_stop(told); })) return told;
    Run<Real> run(iterate, settings.cache_bytes, settings.run, observer, solution.counters, solution.trace);
    return attempt(run);
  };
  std::optional<Status> status;
  settings.run.may_need_double = settings.precision == Precision::Auto;
  if (settings.precision != Precision::Double) status = attempt_in(float{});
  if (!status) {
    solution.counters.double_precision = 1;
    settings.run.may_need_double = false;
    if (solution.counters.iterations > 0) settings.run.first_pair.reset();
    status = attempt_in(double{});
  }
  solution.status = *status;
  solution.certificate = certify(iterate);
  // What rounding of entries may hide is not known to be less.
  const double possible = std::max(solution.certificate.violation, iterate.rounding(Arithmetic::Double));
  if (solution.status == Status::Optimal && settings.run.rule == StopRule::Kkt &&
      possible > settings.run.stop.tolerance) {
    solution.status = Status::Stalled;  // no claim that the certificate does not confirm
    solution.certificate.violation = possible;
  }
  solution.exact = iterate.exact();
  solution.gradient = iterate.gradient();
  solution.alpha = std::move(iterate.alpha);
  solution.seconds = observer.seconds();
  observer.report_end({solution.counters.iterations, solution.certificate.violation, solution.certificate.dual,
                       problem.size(), solution.counters.kernel_evaluations, solution.seconds});
  return solution;
}

template <class Real>
std::optional<Status> run_smo(Run<Real>& run, const Policies& policies) {
  auto working_set = make_working_set<Real>(policies, run.counters);
  auto step_rule = make_step_rule<Real>(policies, run.counters);
  return Smo<Real>(run, *working_set, *step_rule).run();
}

inline Solution solve_smo(const Problem& problem, const Gram& gram, const Settings& settings, Observer& observer,
                          std::int64_t trace_every) {
  return solve_with(problem, gram, settings, observer, trace_every,
                    [&](auto& run) { return run_smo(run, settings.policies); });
}

}  // namespace wm
