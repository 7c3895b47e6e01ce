#pragma once
// Decomposition of the joint problem: working sets of examples, each with all its multipliers.
//
//   repeat  W  <- violating examples: the worst, and others from all over the data
//           repeat  i <- the example of W that promises most;  alpha_i <- its exact best multipliers (block.hpp)
//           f  <- f + K[:, W] (change of the coefficients of W), all N columns from the same rows
//   until   the largest violation is at most the tolerance, on all examples and in double
//
// With a free bias (bias.hpp), b follows whenever W is as good as it has to be.//
// No constraint joins two examples, so steps on single examples converge, and W always holds the worst of them.

#include <numeric>
#include <optional>

#include "../block_room.hpp"
#include "../row_cache.hpp"
#include "../solve.hpp"
#include "../violators.hpp"
#include "iterate.hpp"
#include "state.hpp"

namespace wm::joint {

template <class Real>
class Decomposition {
 public:
  Decomposition(Iterate& iterate, Index size, const Settings& settings, bool may_need_double, Observer& observer,
                Counters& counters, Trace& trace)
      : iterate_(iterate),
        size_(BlockRoom<Real>::affordable(size, settings.cache_bytes, few)),
        settings_(settings),
        may_need_double_(may_need_double),
        observer_(observer),
        counters_(counters),
        trace_(trace),
        cache_(iterate.gram(), iterate.slots(), settings.cache_bytes, counters) {
    for (const double a : iterate.alpha) travelled_ += a;
    activate_all();
    objective_ = state_.dual();
  }

  /// Nothing: single precision does not suffice, continue in double.
  std::optional<Status> run() {
    while (true) {
      goal_.end_polish_if_due(counters_.iterations);
      if (!values_lost_) violation_ = state_.largest_violation();
      if (violation_ <= aim() && verified()) return outcome(status_);
      if (out_of_iterations() || told_to_stop()) return finish(outcome(status_));
      if (precision_exhausted_) return std::nullopt;
      if (!improve(choose()) && nothing_to_gain()) return outcome(status_);
      if (counters_.rounds % rounds_between_shrinks == 0) shrink();
    }
  }

  Progress progress() const {
    return {counters_.iterations,         violation_,         objective_, state_.size(),
            counters_.kernel_evaluations, observer_.seconds()};
  }

  /// All examples, once the run has ended.
  const State& state() const { return state_; }

 private:
  bool shrunk() const { return state_.size() < iterate_.n(); }

  bool stop(Status why) {
    status_ = why;
    return true;
  }

  bool out_of_iterations() {
    return settings_.run.stop.is_exhausted(counters_.iterations) && stop(Status::MaxIterations);
  }

  bool told_to_stop() {
    return observer_.must_stop(settings_.run.stop, status_, [&] { return progress(); });
  }

  /// What rounding in the rows may have done to slacks, differences of two values.
  double error() const { return 2.0 * iterate_.gram().rounding(arithmetic_of<Real>) * travelled_; }

  void activate_all() {
    std::vector<Index> all(iterate_.n());
    std::iota(all.begin(), all.end(), Index{0});
    cache_.set_columns(std::make_shared<const std::vector<Index>>(all));
    state_.resize(std::move(all));
    for (Index i = 0; i < iterate_.n(); ++i) state_.diagonal[i] = iterate_.diagonal(i);
    state_.alpha = iterate_.alpha;
    state_.value = iterate_.value;
    state_.begin();
    violation_ = state_.largest_violation();
  }

  /// The iterate learns the values the state has.
  void store_values() {
    for (Index k = 0; k < state_.classes(); ++k)
      for (Index e = 0; e < state_.size(); ++e)
        iterate_.value[iterate_.at(k, state_.example[e])] = state_.value[state_.at(k, e)];
  }

  /// Sets aside examples that sit at their bounds and would stay there, if that is half of them or more.
  void shrink() {
    if (!settings_.run.shrinking) return;
    std::vector<Index> left;
    for (Index e = 0; e < state_.size(); ++e)
      if (!state_.is_settled(e, violation_)) left.push_back(e);
    if (2 * static_cast<Index>(left.size()) > state_.size() || left.empty()) return;
    ++counters_.shrinks;
    if (!shrunk()) {  // once for all: examples set aside later still have their values of this moment in the iterate
      iterate_.refer();
      store_values();
    }
    state_.keep(left);
    cache_.set_columns(std::make_shared<const std::vector<Index>>(state_.example));
  }

  /// The values of the iterate, exact where that counts; false if told to stop meanwhile.
  template <class MustStop>
  bool refresh(MustStop must_stop) {
    if (values_lost_) return iterate_.start<double>(must_stop) && iterate_.settle(0.0, must_stop);
    std::vector<char> active(iterate_.n(), 0);
    for (Index i : state_.example) active[i] = 1;
    std::vector<Index> aside;
    for (Index i = 0; i < iterate_.n(); ++i)
      if (!active[i]) aside.push_back(i);
    if (!aside.empty() && !iterate_.update<Real>(aside, must_stop)) return false;
    store_values();
    return iterate_.settle(error(), must_stop);
  }

  bool reload() {
    if (shrunk()) ++counters_.unshrinks;
    return renew([&] { return told_to_stop(); });
  }

  /// All examples again, with exact values; without them, if told to stop, it knows no more than before.
  template <class MustStop>
  bool renew(MustStop must_stop) {
    const double believed = violation_;
    const bool complete = refresh(must_stop);
    activate_all();
    if (complete)
      objective_ = state_.dual();
    else
      violation_ = believed;
    return complete;
  }

  /// Leaves with exact values, unless somebody is waiting and it would take long.
  Status finish(Status why) {
    const double deadline = observer_.seconds() + patience(why);
    const auto must_stop = [&] { return observer_.seconds() > deadline; };
    if (!renew(must_stop)) return why;
    iterate_.shift(iterate_.bias.leave(state_));
    balance(must_stop);
    return why;
  }

  /// Positions, ascending.
  std::vector<Index> choose() const {
    std::vector<Index> chosen;
    for (Index e = 0; e < state_.size(); ++e)
      if (state_.violation[e] > 0.0) chosen.push_back(e);
    spread(chosen, size_, [&](Index e) { return state_.violation[e]; });
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  /// Improves the examples at these positions; false if nothing moved.
  bool improve(const std::vector<Index>& W) {
    const auto must_stop = [&] { return told_to_stop(); };
    std::vector<Index> examples;
    for (Index e : W) examples.push_back(state_.example[e]);
    Real* const block = room_.of(W.size() * W.size(), [&](std::size_t bytes) { cache_.lend(bytes); });
    if (!cache_.block(examples, W, block, iterate_.threads(), must_stop)) return true;
    const std::vector<double> change = best_change(W, std::move(examples));
    std::vector<Index> moved, rows;
    for (std::size_t a = 0; a < W.size(); ++a)
      for (Index k = 0; k < state_.classes(); ++k)
        if (change[k * W.size() + a] != 0.0) {
          moved.push_back(static_cast<Index>(a));
          rows.push_back(state_.example[W[a]]);
          break;
        }
    if (moved.empty()) return false;
    std::vector<double> weights;
    for (Index k = 0; k < state_.classes(); ++k)
      for (Index a : moved) weights.push_back(change[k * W.size() + a]);
    take(rows, weights, must_stop);
    ++counters_.rounds;
    if (trace_.due(counters_.rounds))
      trace_.record(progress(), counters_.cache_hits, rows.front(), rows.back(),
                    {static_cast<double>(moved.size()), 0.0, StepKind::Free});
    return true;
  }

  /// The values follow changes of the coefficients of these examples, by class.
  template <class MustStop>
  void take(const std::vector<Index>& examples, const std::vector<double>& changes, MustStop must_stop) {
    for (const double c : changes) travelled_ += std::max(0.0, c);
    values_lost_ = !cache_.accumulate(
        examples, changes.data(), state_.value.data(), iterate_.threads(), must_stop, [](std::size_t) { return true; },
        state_.classes());
    state_.begin();
  }

  /// Steps on single examples of W until it is much better than the rest; returns the change of coefficients, by class.
  std::vector<double> best_change(const std::vector<Index>& W, std::vector<Index> examples) {
    const Index N = state_.classes();
    const std::size_t m = W.size();
    inner_.resize(std::move(examples));
    std::vector<double> before(m * N);
    for (std::size_t a = 0; a < m; ++a) {
      inner_.diagonal[a] = state_.diagonal[W[a]];
      for (Index k = 0; k < N; ++k) {
        before[k * m + a] = inner_.alpha[k * m + a] = state_.alpha[state_.at(k, W[a])];
        inner_.value[k * m + a] = state_.value[state_.at(k, W[a])];
      }
    }
    inner_.begin();
    const double enough = std::max(0.1 * violation_, 0.9 * aim());
    for (std::int64_t step = 0, limit = inner_iterations(m); step < limit; ++step) {
      const Index e = inner_.most_promising();
      if (e < 0 || inner_.largest_violation() <= enough) break;
      const double gain = inner_.improve(e);
      objective_ += gain;
      inner_.follow(room_.get() + e * m);
      inner_.scan();
      ++counters_.iterations;
      if (step % 64 == 63 && told_to_stop()) break;
    }
    std::vector<double> change(m * N), step(N);
    for (std::size_t a = 0; a < m; ++a) {
      for (Index k = 0; k < N; ++k) {
        const double now = inner_.alpha[k * m + a];
        step[k] = now - before[k * m + a];
        state_.alpha[state_.at(k, W[a])] = iterate_.alpha[iterate_.at(k, inner_.example[a])] = now;
      }
      iterate_.problem().coefficients(
          inner_.label[a], [&](Index k) { return step[k]; }, [&](Index k, double c) { change[k * m + a] = c; });
    }
    return change;
  }

  std::int64_t inner_iterations(std::int64_t q) const { return settings_.run.stop.left(counters_.iterations, 64 * q); }

  /// No change that helps: look at everything again; if that was already so, this is the end.
  bool nothing_to_gain() {
    const std::vector<double> b = iterate_.bias.values();
    if (verified()) return true;
    if (iterate_.bias.values() != b) return false;
    if (!may_need_double_) return stop(Status::Stalled);
    precision_exhausted_ = true;
    return false;
  }

  /// Optimal on the active examples: is it on all of them, in double?
  bool verified() {
    const bool shrunk_before = shrunk();
    const auto must_stop = [&] { return told_to_stop(); };
    if (!reload()) return true;
    if (violation_ <= goal_.tolerance()) {
      if (follow_bias()) return false;
      if (!balance(must_stop)) return true;
    }
    if (violation_ <= goal_.tolerance()) {
      status_ = Status::Optimal;
      return !goal_.polish(counters_.iterations);
    }
    if (!shrunk_before && goal_.in_vain(violation_, 3)) {
      precision_exhausted_ = may_need_double_;
      return !precision_exhausted_ && stop(Status::Stalled);
    }
    goal_.missed(violation_, 2.0 * iterate_.correction());
    return false;
  }

  /// To balance the multipliers takes a part of the tolerance.
  double aim() const { return (iterate_.bias.exists() ? 0.5 : 1.0) * goal_.aim(); }

  /// Whether there is a free bias that the multipliers, all of them active, pull elsewhere; it is there then.
  bool follow_bias() {
    const std::vector<double> way = iterate_.bias.follow(state_, goal_.tolerance(), aim());
    if (way.empty()) return false;
    iterate_.shift(way);
    violation_ = state_.largest_violation();
    return true;
  }

  /// Takes out of the multipliers, all of them active, what keeps a bias from being free; false if told to stop.
  template <class MustStop>
  bool balance(MustStop must_stop) {
    const std::vector<double> before = state_.alpha;
    const std::vector<Index> changed = iterate_.bias.balance(state_.alpha);
    if (changed.empty()) return true;
    iterate_.alpha = state_.alpha;
    const Index N = state_.classes();
    std::vector<double> weights(changed.size() * N);
    for (std::size_t m = 0; m < changed.size(); ++m) {
      const Index i = changed[m];
      iterate_.problem().coefficients(
          state_.label[i], [&](Index k) { return state_.alpha[state_.at(k, i)] - before[state_.at(k, i)]; },
          [&](Index k, double c) { weights[k * changed.size() + m] = c; });
    }
    take(changed, weights, must_stop);
    return renew(must_stop);
  }

  Status outcome(Status status) const { return goal_.outcome(status, violation_); }

  static constexpr double few = 64;  // examples, too few to work with
  static constexpr std::int64_t rounds_between_shrinks = 8;

  Iterate& iterate_;
  const Index size_;
  const Settings& settings_;
  const bool may_need_double_;
  Observer& observer_;
  Counters& counters_;
  Trace& trace_;
  RowCache<Real> cache_;
  State state_{iterate_.problem()}, inner_{iterate_.problem()};
  BlockRoom<Real> room_;
  double objective_ = 0.0, violation_ = infinity, travelled_ = 0.0;
  Goal goal_{settings_.run.stop, 1e-11 * iterate_.problem().margin};
  bool precision_exhausted_ = false, values_lost_ = false;
  Status status_ = Status::Optimal;
};

/// Writes down how a run ended in a state of all examples; without exact values, what it believed. No claim that the
/// certificate does not confirm.
inline void conclude(const State& state, const Bias& bias, Status status, bool exact, const Progress& believed,
                     const Stop& stop, Observer& observer, Solution& solution) {
  const Index n = state.size(), N = state.classes();
  solution.status = status;
  exact = exact && bias.is_balanced(state.alpha);
  solution.exact = exact;
  if (exact)
    solution.certificate = state.certify();
  else
    solution.certificate = {std::isinf(believed.violation) ? -infinity : believed.objective,
                            infinity,
                            infinity,
                            believed.violation,
                            {},
                            {},
                            {}};
  if (bias.exists())
    for (auto* each :
         {&solution.certificate.offset, &solution.certificate.offset_low, &solution.certificate.offset_high})
      *each = bias.values();
  if (status == Status::Optimal && !(exact && solution.certificate.violation <= stop.tolerance))
    solution.status = Status::Stalled;
  solution.alpha.resize(state.alpha.size());
  solution.gradient.resize(state.alpha.size());
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < N; ++k) {
      solution.alpha[i * N + k] = state.alpha[state.at(k, i)];
      solution.gradient[i * N + k] = state.slack(k, i);
    }
  solution.seconds = observer.seconds();
  observer.report_end({solution.counters.iterations, solution.certificate.violation, solution.certificate.dual, n,
                       solution.counters.kernel_evaluations, solution.seconds});
}

/// Single-precision rows as long as they suffice, double after that, and at once where a whole matrix is small.
inline Solution solve(const Problem& problem, const Gram& gram, Index size, const Settings& settings,
                      Observer& observer, std::int64_t trace_every) {
  constexpr Index small = 1024;
  Solution solution{};
  solution.trace.every = trace_every;
  Iterate iterate(problem, gram, settings.threads, solution.counters);
  Status told = Status::Interrupted;
  auto must_stop = [&] {
    return observer.must_stop(settings.run.stop, told, [&] {
      const Counters& so_far = solution.counters;
      return Progress{so_far.iterations, infinity, 0.0, problem.size(), so_far.kernel_evaluations, observer.seconds()};
    });
  };
  auto ends_in = [&]<class Real>(Real, bool may_need_double) {
    const bool begun = iterate.start<Real>(must_stop);
    Decomposition<Real> run(iterate, std::min(size, problem.size()), settings, may_need_double, observer,
                            solution.counters, solution.trace);
    const std::optional<Status> status = begun ? run.run() : told;
    Progress believed = run.progress();
    if (!begun) believed.violation = infinity;
    if (status)
      conclude(run.state(), iterate.bias, *status, iterate.exact(), believed, settings.run.stop, observer, solution);
    return status.has_value();
  };
  const bool at_once =
      settings.precision == Precision::Double || (settings.precision == Precision::Auto && problem.size() <= small);
  if (at_once || !ends_in(float{}, settings.precision == Precision::Auto)) {
    solution.counters.double_precision = 1;
    ends_in(double{}, false);
  }
  return solution;
}

}  // namespace wm::joint
