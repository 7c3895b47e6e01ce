#pragma once
// Decomposition with working sets W of q variables (Osuna et al. 1997; Joachims 1999 for the choice of W).
//
//   repeat  W  <- free variables, and violators of both sides: the worst, and others from all over the data
//           d  <- arg max  G_W'd - 1/2 d'Q_WW d,  sum(d) = 0 in every group,  bounds of a_W + d
//           G  <- G - Q[:, W] d,  a_W <- a_W + d
//   until   psi(a) <= tolerance
//
// W always holds the maximum violating pair, so the method converges. The inner problem is solved by SMO with any of
// the published policies, on a block that stays in a near cache; rows of Q are fetched many at a time and only for
// the variables that moved. Where all rows lie in memory and many variables are free, W is all of them, or SMO goes on.

#include <numeric>

#include "block_room.hpp"
#include "dense_gram.hpp"
#include "solve.hpp"
#include "violators.hpp"

namespace wm {

template <class Real>
class Decomposition {
 public:
  Decomposition(Run<Real>& run, Index size, const Settings& settings)
      : run_(run),
        size_(BlockRoom<Real>::affordable(size, settings.cache_bytes, few, growth)),
        policies_(settings.policies) {}

  /// Nothing: single precision does not suffice, continue in double.
  std::optional<Status> run() {
    while (true) {
      if (state_.violation() <= goal_.aim() && verified()) return run_.status;
      if (run_.out_of_iterations() || run_.told_to_stop()) return run_.finish(run_.status);
      if (precision_exhausted_) return std::nullopt;
      const double free = rows_are_stored_ ? free_share() : 0.0;
      const bool all = free > 0.5 && state_.rows_lie_ready();
      if (free > 0.25 && !all) return run_smo(run_, policies_);
      if (!improve(all ? everything() : choose()) && nothing_to_gain()) return run_.status;
      if (run_.counters.rounds % rounds_between_shrinks == 0) run_.shrink(shrinking_, 0.5);
      if (run_.options.may_need_double) precision_exhausted_ |= run_.rounding() > goal_.tolerance();
    }
  }

 private:
  /// Of the variables. Where it is large and rows lie in memory, picking a block from them costs more than sweeps over
  /// all, with these rows for a block if most variables are free.
  double free_share() const {
    double free = 0.0;
    for (Index k = 0; k < state_.size(); ++k) free += state_.can_rise(k) & state_.can_fall(k);
    return free / state_.size();
  }

  std::vector<Index> everything() const {
    std::vector<Index> all(state_.size());
    std::iota(all.begin(), all.end(), Index(0));
    return all;
  }

  /// The positions of [begin, end) for which `holds(k)`, which is better free of branches: nobody could foretell them.
  template <class Holds>
  static std::vector<Index> those(Index begin, Index end, Holds holds) {
    std::vector<Index> found(end - begin);
    std::size_t count = 0;
    for (Index k = begin; k < end; ++k) {
      found[count] = k;
      count += holds(k);
    }
    found.resize(count);
    return found;
  }

  /// Positions, ascending.
  std::vector<Index> choose() {
    std::vector<char> taken(state_.size(), 0);
    std::vector<Index> chosen;
    const double *const rise = state_.rise.data(), *const fall = state_.fall.data();
    const std::vector<Index> free = those(0, state_.size(), [=](Index k) { return (rise[k] > 0.0) & (fall[k] > 0.0); });
    const Index size = std::clamp<Index>(2 * Index(free.size()), size_, growth * size_);
    auto keep = [&](Index k) {
      if (!taken[k] && chosen.size() < std::size_t(size / 2)) {
        taken[k] = 1;
        chosen.push_back(k);
      }
    };
    for (Index v : last_)
      if (const Index k = state_.position(v); k >= 0 && state_.can_rise(k) && state_.can_fall(k)) keep(k);
    for (Index k : free) keep(k);
    const std::size_t kept = chosen.size(), room = size - kept;
    for (Index g = 0; g < state_.groups(); ++g) {
      const Extremes& e = state_.extremes[g];
      const std::size_t share = std::max<std::size_t>(1, room / (2 * state_.groups()));
      auto take = [&](auto violates, auto badness) {
        const char* const is_taken = taken.data();
        std::vector<Index> found = those(state_.group_begin[g], state_.group_begin[g + 1],
                                         [=](Index k) { return (is_taken[k] == 0) & violates(k); });
        spread(found, share, badness);
        for (Index k : found) taken[k] = 1;
        chosen.insert(chosen.end(), found.begin(), found.end());
      };
      const auto* const G = state_.gradient.data();
      take([=](Index k) { return (rise[k] > 0.0) & (G[k] > e.low); }, [=](Index k) { return G[k]; });
      take([=](Index k) { return (fall[k] > 0.0) & (G[k] < e.high); }, [=](Index k) { return -G[k]; });
    }
    std::rotate(chosen.begin(), chosen.begin() + kept, chosen.end());  // the newest are kept first
    last_.clear();
    for (Index k : chosen) last_.push_back(state_.variable[k]);
    return those(0, state_.size(), [&](Index k) { return taken[k] != 0; });
  }

  /// In the change d of a_W. Gradients are seen from the middle of their group, for sums of d are zero: they are as
  /// small as the violation then, and so is what rounding does to them.
  struct InnerProblem {
    /// On the block of W.
    InnerProblem(const State<Real>& state, const std::vector<Index>& W) : InnerProblem(state, W, {}) {}

    /// Of all variables, on the Gram of the whole problem.
    InnerProblem(const State<Real>& state, const std::vector<Index>& W, const Problem& whole) : start(W.size(), 0.0) {
      problem.group_begin = {0};
      for (Index g = 0, a = 0; g < state.groups(); ++g) {
        const double middle = 0.5 * (state.extremes[g].high + state.extremes[g].low);
        for (; a < Index(W.size()) && W[a] < state.group_begin[g + 1]; ++a) {
          linear.push_back(state.gradient[W[a]] - (std::isfinite(middle) ? middle : 0.0));
          lower.push_back(-state.fall[W[a]]);
          upper.push_back(state.rise[W[a]]);
        }
        problem.group_begin.push_back(a);
      }
      problem = {linear, lower, upper, start, whole.ridge, whole.points, std::move(problem.group_begin)};
    }
    InnerProblem(const InnerProblem&) = delete;
    InnerProblem& operator=(const InnerProblem&) = delete;

    double largest_gradient() const {
      double largest = 0.0;
      for (const double g : linear) largest = std::max(largest, std::abs(g));
      return largest;
    }

    std::vector<double> linear, lower, upper, start;
    Problem problem;
  };

  /// The best change of W; false if there was none.
  bool improve(const std::vector<Index>& W) {
    const auto must_stop = [&] { return run_.told_to_stop(); };
    const bool whole = static_cast<Index>(W.size()) == state_.total() && state_.rows_lie_ready();
    std::vector<double> d;
    if (whole) {
      d = best_change(InnerProblem(state_, W, run_.problem()), run_.gram(), 0.9 * goal_.aim());
    } else {
      const std::size_t most =
          std::max<std::size_t>(W.size(), growth * size_);  // at once, so that rows keep their room
      Real* const block = room_.of(most * most, [&](std::size_t bytes) { state_.lend_cache(bytes); });
      if (!state_.block(W, block, must_stop)) return true;
      const double enough = std::max(0.1 * state_.violation(), 0.9 * goal_.aim());
      d = best_change(InnerProblem(state_, W), DenseGram<Real>(static_cast<Index>(W.size()), block), enough);
    }
    std::vector<Index> moved;
    std::vector<double> by;
    double gain = 0.0;  // of a quadratic: the change times the mean of both gradients
    for (std::size_t a = 0; a < W.size(); ++a)
      if (d[a] != 0.0) {
        moved.push_back(W[a]);
        by.push_back(d[a]);
        gain += 0.5 * d[a] * state_.gradient[W[a]];
      }
    if (moved.empty()) return false;
    if (!state_.change(moved, by, [&] { return !whole && must_stop(); }))
      return true;  // the whole would be much to lose
    state_.rescan();
    for (std::size_t m = 0; m < moved.size(); ++m) gain += 0.5 * by[m] * state_.gradient[moved[m]];
    run_.objective += gain;
    ++run_.counters.rounds;
    run_.record(run_.counters.rounds, W.front(), W.back(), {static_cast<double>(moved.size()), 0.0, StepKind::Free});
    return true;
  }

  std::vector<double> best_change(const InnerProblem& inner, const Gram& Q, double tolerance) {
    RunOptions options = run_.options;
    options.shrinking = options.may_need_double = false;
    options.believe = true;
    options.stop = {tolerance, inner_iterations(inner.problem.size()), infinity};
    Counters counters;
    Iterate iterate(inner.problem, Q, inner.start, 1, counters);
    const double largest = inner.largest_gradient();
    if (std::is_same_v<Real, float> && rounding_of_sums * largest <= tolerance && largest < 1e30)
      solve<Rough>(iterate, options, counters);
    else
      solve<Real>(iterate, options, counters);
    run_.counters.iterations += counters.iterations;
    run_.counters.newton_rounds += counters.newton_rounds;
    return std::move(iterate.alpha);
  }

  template <class Precision>
  void solve(Iterate& iterate, const RunOptions& options, Counters& counters) {
    Trace none;
    Observer relay([&](const Progress&) { return run_.told_to_stop(); }, 0.01);
    Run<Precision> run(iterate, std::numeric_limits<std::size_t>::max(), options, relay, counters, none);
    run_smo(run, policies_);
  }

  /// As many as working sets need that are worth it: in a hard one, other variables had better join. Nor more than are
  /// left.
  std::int64_t inner_iterations(std::int64_t q) const {
    return run_.options.stop.left(run_.counters.iterations, 64 * q);
  }

  /// No change that helps: look at everything again; if that was already so, this is the end.
  bool nothing_to_gain() {
    if (verified()) return true;
    if (!run_.options.may_need_double) return run_.stop(Status::Stalled);
    precision_exhausted_ = true;
    return false;
  }

  /// Optimal on the active variables: is it on all of them, in double?
  bool verified() {
    const bool shrunk = run_.shrunk();
    if (!run_.reload()) return true;
    const double exact = state_.violation();
    if (exact <= goal_.tolerance()) return run_.stop(Status::Optimal);
    if (!shrunk && goal_.in_vain(exact, 3)) {
      precision_exhausted_ = run_.options.may_need_double;
      return !precision_exhausted_ && run_.stop(Status::Stalled);
    }
    goal_.missed(exact, run_.rounding_error);
    return false;
  }

  static constexpr Index few = 256, growth = 2;     // of W: too few to work with; to hold all free variables
  static constexpr double rounding_of_sums = 1e-4;  // of thousands of numbers in single precision, and to spare
  static constexpr std::int64_t rounds_between_shrinks = 32;  // what is set aside has to be made good in the end

  Run<Real>& run_;
  const Index size_;
  const Policies& policies_;  // of the inner solver
  State<Real>& state_ = run_.state;
  const bool rows_are_stored_ = run_.gram().stored(arithmetic_of<Real>);
  Goal goal_{run_.options.stop};
  Shrinking shrinking_{run_.options.shrinking, state_.total()};
  std::vector<Index> last_;  // variables of the last W
  BlockRoom<Real> room_;
  bool precision_exhausted_ = false;
};

/// A problem that is a single working set, and one whose objective may be unbounded, is left to the inner solver.
inline Solution solve_decomposition(const Problem& problem, const Gram& gram, Index size, const Settings& settings,
                                    Observer& observer, std::int64_t trace_every) {
  if (problem.size() <= size || problem.is_cone()) return solve_smo(problem, gram, settings, observer, trace_every);
  return solve_with(problem, gram, settings, observer, trace_every,
                    [&](auto& run) { return Decomposition(run, size, settings).run(); });
}

}  // namespace wm
