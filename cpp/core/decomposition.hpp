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
  Decomposition(Run<Real>& run, Index size, const Settings& inner) : run_(run), size_(size), inner_(inner) {}

  std::optional<Status> run() {
    while (true) {
      if (state_.violation() <= tolerance_ && verified()) return run_.status;
      if (run_.out_of_iterations() || run_.told_to_stop()) return run_.finish(run_.status);
      if (precision_exhausted_) return std::nullopt;
      improve(choose());
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
    DenseGram Q(static_cast<Index>(W.size()));
    fill(Q, W);
    const Problem problem = inner_problem(W, Q);
    Observer silent;
    const Solution x = solve_smo(problem, Q, inner_settings(problem.size()), silent, 0);
    double gain = 0.0;  // of a quadratic: the change times the mean of both gradients
    for (Index a = 0; a < problem.size(); ++a) gain += 0.5 * (x.alpha[a] - problem.start[a]) * state_.gradient[W[a]];
    for (Index a = 0; a < problem.size(); ++a)
      if (x.alpha[a] != problem.start[a]) state_.change(W[a], x.alpha[a] - problem.start[a]);
    for (Index a = 0; a < problem.size(); ++a) gain += 0.5 * (x.alpha[a] - problem.start[a]) * state_.gradient[W[a]];
    state_.rescan();
    run_.objective += gain;
    ++run_.counters.iterations;
    run_.record(W.front(), W.back(), {static_cast<double>(x.counters.iterations), 0.0, StepKind::Free});
  }

  /// Q = Q_WW.
  void fill(DenseGram& Q, const std::vector<Index>& W) {
    for (Index a = 0; a < Q.rows(); ++a) {
      const Real* row = state_.row(W[a]);
      Q(a, a) = state_.diagonal[W[a]];
      // Both halves from one: rows in single precision may differ in the last bit.
      for (Index b = a + 1; b < Q.rows(); ++b) Q(a, b) = Q(b, a) = state_.kernel(row, W[b]);
    }
  }

  Problem inner_problem(const std::vector<Index>& W, const DenseGram& Q) const {
    Problem problem;
    const Index q = static_cast<Index>(W.size());
    problem.group_begin = {0, q};
    for (Index a = 0; a < q; ++a) {
      double linear = state_.gradient[W[a]];
      for (Index b = 0; b < q; ++b) linear += Q(a, b) * state_.alpha[W[b]];
      problem.linear.push_back(linear);
      problem.lower.push_back(state_.lower[W[a]]);
      problem.upper.push_back(state_.upper[W[a]]);
      problem.start.push_back(state_.alpha[W[a]]);
    }
    return problem;
  }

  /// Precise enough to be worth the rows of W, and never endless.
  Settings inner_settings(std::int64_t q) const {
    Settings settings = inner_;
    settings.precision = Precision::Double;
    settings.run.shrinking = false;
    settings.run.stop = {std::max(0.1 * state_.violation(), 0.5 * tolerance_), 100 * q * q, infinity};
    return settings;
  }

  bool verified() {
    if (!run_.reload()) return true;
    const double exact = state_.violation();
    if (exact <= tolerance_) return run_.stop(Status::Optimal);
    if (exact > 0.5 * best_exact_ && ++stalls_ > 3) {
      precision_exhausted_ = run_.options.may_need_double;
      return !precision_exhausted_ && run_.stop(Status::Stalled);
    }
    best_exact_ = std::min(best_exact_, exact);
    return false;
  }

  Run<Real>& run_;
  const Index size_;
  const Settings& inner_;
  State<Real>& state_ = run_.state;
  const double tolerance_ = run_.options.stop.tolerance;
  Shrinking shrinking_{run_.options.shrinking, state_.total()};
  bool precision_exhausted_ = false;
  double best_exact_ = infinity;
  int stalls_ = 0;
};

inline Solution solve_decomposition(const Problem& problem, const Gram& gram, Index size, const Settings& inner,
                                    const Settings& settings, Observer& observer, std::int64_t trace_every) {
  return solve_with(problem, gram, settings, observer, trace_every,
                    [&](auto& run) { return Decomposition(run, size, inner).run(); });
}

}  // namespace wm
