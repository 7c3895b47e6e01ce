#pragma once
// Decomposition with working sets W of q variables (Osuna et al. 1997; Joachims 1999 for the choice of W).
//
//   repeat  W  <- the q/2 largest gradients that can rise and the q/2 smallest that can fall, of the worst group
//           x  <- arg max  w'x - 1/2 x'Q_WW x,  sum(x) = sum(a_W),  bounds of W;    w = G_W + Q_WW a_W
//           G  <- G - Q[:, W] (x - a_W),  a_W <- x
//   until   psi(a) <= tolerance
//
// W always holds the maximum violating pair, so the method converges. The inner problem is solved by SMO with any of
// the published policies.

#include <numeric>

#include "dense_gram.hpp"
#include "solve.hpp"

namespace wm {

template <class Real>
class Decomposition {
 public:
  Decomposition(Iterate& iterate, Index size, const Settings& inner, const Settings& settings, Observer& observer,
                Solution& solution)
      : iterate_(iterate),
        state_(iterate, settings.cache_bytes, solution.counters),
        size_(size),
        inner_(inner),
        options_(settings.run),
        shrinking_(settings.run.shrinking, iterate.problem().size()),
        observer_(observer),
        counters_(solution.counters),
        trace_(solution.trace) {}

  std::optional<Status> run() {
    while (true) {
      if (state_.violation() <= options_.stop.tolerance && verified()) return status_;
      if (must_stop()) return finish();
      if (precision_exhausted_) return std::nullopt;
      improve(choose());
      ++counters_.iterations;
      if (shrinking_.due()) shrinking_.apply(state_);
    }
  }

 private:
  std::vector<Index> choose() const {
    const Index g = state_.worst_group(), begin = state_.group_begin[g], end = state_.group_begin[g + 1];
    std::vector<Index> order(end - begin);
    std::iota(order.begin(), order.end(), begin);
    std::vector<char> taken(state_.size(), 0);
    std::vector<Index> chosen;
    auto take = [&](std::size_t wanted, auto allowed, auto better) {
      const std::size_t looked_at = std::min(order.size(), wanted + chosen.size());
      auto before = [&](Index k, Index m) {
        return allowed(k) != allowed(m) ? allowed(k) > allowed(m) : better(state_.gradient[k], state_.gradient[m]);
      };
      std::partial_sort(order.begin(), order.begin() + looked_at, order.end(), before);
      for (std::size_t k = 0; k < looked_at && wanted > 0; ++k)
        if (allowed(order[k]) && !taken[order[k]]) {
          taken[order[k]] = 1;
          chosen.push_back(order[k]);
          --wanted;
        }
    };
    take(size_ / 2, [&](Index k) { return state_.can_rise(k); }, std::greater<>());
    take(size_ - size_ / 2, [&](Index k) { return state_.can_fall(k); }, std::less<>());
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  void improve(const std::vector<Index>& W) {
    const Index q = static_cast<Index>(W.size());
    Problem inner;
    inner.group_begin = {0, q};
    DenseGram Q(q);
    for (Index a = 0; a < q; ++a) {
      const Real* row = state_.row(W[a]);
      for (Index b = 0; b < q; ++b) Q(a, b) = a == b ? state_.diagonal[W[a]] : state_.kernel(row, W[b]);
    }
    for (Index a = 0; a < q; ++a)
      for (Index b = 0; b < a; ++b) Q(a, b) = Q(b, a);  // rows in single precision may differ in the last bit
    for (Index a = 0; a < q; ++a) {
      double linear = state_.gradient[W[a]];
      for (Index b = 0; b < q; ++b) linear += Q(a, b) * state_.alpha[W[b]];
      inner.linear.push_back(linear);
      inner.lower.push_back(state_.lower[W[a]]);
      inner.upper.push_back(state_.upper[W[a]]);
      inner.start.push_back(state_.alpha[W[a]]);
    }
    Settings settings = inner_;
    settings.precision = Precision::Double;
    settings.run.shrinking = false;
    settings.run.stop = {std::max(0.1 * state_.violation(), 0.5 * options_.stop.tolerance), 100 * std::int64_t{q} * q,
                         infinity};
    Observer silent;
    const Solution x = solve_smo(inner, Q, inner.start, settings, silent, 0);
    inner_steps_ += x.counters.iterations;
    for (Index a = 0; a < q; ++a)
      if (x.alpha[a] != state_.alpha[W[a]]) state_.change(W[a], x.alpha[a] - state_.alpha[W[a]]);
    state_.rescan();
    if (trace_.due(counters_.iterations + 1)) record(W, x);
  }

  bool verified() {
    if (state_.size() < state_.total()) ++counters_.unshrinks;
    state_.store();
    if (!iterate_.refresh([&] { return told_to_stop(); })) {
      iterate_.believe(state_.variable, state_.gradient, objective());
      return true;
    }
    state_.activate_all();
    const double exact = state_.violation();
    status_ = exact <= options_.stop.tolerance ? Status::Optimal : Status::Stalled;
    if (status_ == Status::Optimal) return true;
    if (exact > 0.5 * best_exact_ && ++stalls_ > 3) {
      precision_exhausted_ = options_.may_need_double;
      return !precision_exhausted_;
    }
    best_exact_ = std::min(best_exact_, exact);
    return false;
  }

  bool must_stop() {
    const std::int64_t limit = options_.stop.max_iterations;
    if (limit >= 0 && counters_.iterations >= limit) {
      status_ = Status::MaxIterations;
      return true;
    }
    return told_to_stop();
  }

  bool told_to_stop() {
    return observer_.must_stop(options_.stop, status_, [&] {
      return Progress{counters_.iterations, state_.violation(),           objective(),
                      state_.size(),        counters_.kernel_evaluations, observer_.seconds()};
    });
  }

  Status finish() {
    const bool waited_for = status_ == Status::Interrupted || status_ == Status::MaxTime;
    const double deadline = waited_for ? observer_.seconds() + 0.1 : infinity;
    state_.store();
    if (!iterate_.refresh([&] { return observer_.seconds() > deadline; }))
      iterate_.believe(state_.variable, state_.gradient, objective());
    return status_;
  }

  double objective() const {
    double sum = 0.0;
    for (Index k = 0; k < state_.size(); ++k)
      sum += 0.5 * state_.alpha[k] * (iterate_.problem().linear[state_.variable[k]] + state_.gradient[k]);
    return sum;
  }

  void record(const std::vector<Index>& W, const Solution& x) {
    trace_.iteration.push_back(counters_.iterations + 1);
    trace_.i.push_back(state_.variable[W.front()]);
    trace_.j.push_back(state_.variable[W.back()]);
    trace_.objective.push_back(objective());
    trace_.violation.push_back(state_.violation());
    trace_.active_size.push_back(state_.size());
    trace_.kernel_evaluations.push_back(counters_.kernel_evaluations);
    trace_.cache_hits.push_back(counters_.cache_hits);
    trace_.step.push_back(static_cast<double>(x.counters.iterations));
    trace_.newton_step.push_back(0.0);
    trace_.kind.push_back(0);
    trace_.seconds.push_back(observer_.seconds());
  }

  Iterate& iterate_;
  State<Real> state_;
  Index size_;
  const Settings& inner_;
  const RunOptions& options_;
  Shrinking shrinking_;
  Observer& observer_;
  Counters& counters_;
  Trace& trace_;
  Status status_ = Status::Optimal;
  bool precision_exhausted_ = false;
  double best_exact_ = infinity;
  int stalls_ = 0;
  std::int64_t inner_steps_ = 0;
};

inline Solution solve_decomposition(const Problem& problem, const Gram& gram, std::vector<double> start, Index size,
                                    const Settings& inner, const Settings& settings, Observer& observer,
                                    std::int64_t trace_every) {
  return solve_with(problem, gram, std::move(start), settings, observer, trace_every,
                    [&](auto real, Iterate& iterate, const Settings& s, Observer& o, Solution& solution) {
                      return Decomposition<decltype(real)>(iterate, size, inner, s, o, solution).run();
                    });
}

}  // namespace wm
