#pragma once
// Constants b_k of the functions that no norm pays for. They add to the dual the constraints
//
//   S_k = sum_i c_ik = 0     for all classes k,
//
// whose multipliers they are. Steps on pairs of examples cannot keep these: multipliers are a flow between classes, and
// it takes cycles to keep it a circulation. Hence the method of multipliers: the Gram is K + s, as if b_k^2 / 2s had to
// be paid, and what is paid for begins anew from where it has come to, over and over,
//
//   b <- b + s S     whenever the multipliers are as good as they can be for b,
//
// until s S is far below the tolerance. What is left of S is then taken out of the multipliers (`balance`), so that
// S = 0 and c'(K + s)c = c'Kc: the certificate is that of the machine with bias b.
//
// Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, Mathematics of Operations
// Research 1, 1976.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "state.hpp"

namespace wm::joint {

class Bias {
 public:
  explicit Bias(const Problem& problem) : problem_(&problem), b_(problem.classes, 0.0) {
    std::copy(problem.bias.begin(), problem.bias.end(), b_.begin());
  }

  double operator[](Index k) const { return b_[k]; }
  bool exists() const { return problem_->has_bias(); }
  const std::vector<double>& values() const { return b_; }

  /// S, from the multipliers of all examples, by class and example.
  std::vector<double> sums(const std::vector<double>& alpha) const {
    const Index n = problem_->size();
    std::vector<double> S(problem_->classes, 0.0);
    for (Index i = 0; i < n; ++i)
      problem_->coefficients(
          problem_->labels[i], [&](Index k) { return alpha[static_cast<std::size_t>(k) * n + i]; },
          [&](Index k, double c) { S[k] += c; });
    return S;
  }

  /// b goes where the multipliers of a state of all examples pull it, if that is a change that counts beside the
  /// tolerance, and farther on until one of them violates by more than `aim`; the way it went, empty if it stayed.
  std::vector<double> follow(State& state, double tolerance, double aim) {
    constexpr double hair = 0.1;
    if (!exists()) return {};
    std::vector<double> step = sums(state.alpha), way(b_.size(), 0.0);
    double size = 0.0;
    for (double& each : step) size = std::max(size, std::abs(each *= problem_->bias_scale));
    if (size <= hair * tolerance) return {};
    for (; size < infinity; size *= 2.0) {
      for (Index k = 0; k < problem_->classes; ++k) {
        b_[k] += step[k];
        way[k] += step[k];
        for (Index e = 0; e < state.size(); ++e) state.value[state.at(k, e)] += step[k];
        step[k] *= 2.0;
      }
      state.scan();
      if (state.largest_violation() > aim) break;
    }
    return way;
  }

  /// For runs that end before: b is where the price s has brought it.
  std::vector<double> leave(State& state) { return follow(state, 0.0, 0.0); }

  /// Whether S = 0, up to rounding.
  bool is_balanced(const std::vector<double>& alpha) const {
    const std::vector<double> S = sums(alpha);
    return !exists() || *std::max_element(S.begin(), S.end()) <= negligible(alpha);
  }

  /// Makes S = 0 by small changes of few multipliers, of those inside their bounds if they suffice; the examples that
  /// have changed. Sums flow from classes with too much to those with too little, along paths over other classes.
  std::vector<Index> balance(std::vector<double>& alpha) const {
    std::vector<Index> changed;
    if (!exists()) return changed;
    for (const bool inside : {true, false}) {
      std::vector<double> S = sums(alpha);
      for (Index moves = 0; moves < most_moves * problem_->classes; ++moves)
        if (!send(alpha, S, inside, changed)) break;
    }
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    return changed;
  }

 private:
  static constexpr Index most_moves = 16;  // a class, of a sum that is small

  /// How much may go from one class to another by the multiplier at this place, which falls (-1) or rises (+1).
  struct Edge {
    double room = 0.0;
    std::size_t at = 0;
    double sign = 0.0;
  };

  static double negligible(const std::vector<double>& alpha) {
    return 1e-14 * std::accumulate(alpha.begin(), alpha.end(), 0.0);
  }

  /// The widest edges. With relative margins alpha_ik is a flow from class k to y_i. With absolute ones what one class
  /// gains all others share: edges lead to and from a node for all of them, the last one.
  std::vector<Edge> edges(const std::vector<double>& alpha, bool inside) const {
    const Index n = problem_->size(), N = problem_->classes, nodes = N + 1;
    std::vector<Edge> widest(nodes * nodes);
    auto offer = [&](Index from, Index to, Edge edge) {
      if (edge.room > widest[from * nodes + to].room) widest[from * nodes + to] = edge;
    };
    for (Index k = 0; k < N; ++k)
      for (Index i = 0; i < n; ++i) {
        const Index y = problem_->labels[i];
        if (k == y) continue;
        const std::size_t at = static_cast<std::size_t>(k) * n + i;
        const double down = alpha[at], up = problem_->price[i] - down, both = 0.5 * std::min(down, up);
        const Index partner = problem_->relative() ? y : N;
        offer(partner, k, {inside ? both : down, at, -1.0});
        offer(k, partner, {inside ? both : up, at, +1.0});
      }
    return widest;
  }

  /// Sends what it can from the class with the largest sum to the nearest with a negative one; false if that is
  /// nothing.
  bool send(std::vector<double>& alpha, std::vector<double>& S, bool inside, std::vector<Index>& changed) const {
    const Index nodes = problem_->classes + 1;
    const double hair = negligible(alpha);
    const Index source = static_cast<Index>(std::max_element(S.begin(), S.end()) - S.begin());
    if (S[source] <= hair) return false;
    const std::vector<Edge> edge = edges(alpha, inside);
    std::vector<Index> before(nodes, -1), queue{source};
    before[source] = source;
    Index sink = -1;
    for (std::size_t next = 0; next < queue.size() && sink < 0; ++next)
      for (Index to = 0; to < nodes && sink < 0; ++to)
        if (before[to] < 0 && edge[queue[next] * nodes + to].room > hair) {
          before[to] = queue[next];
          queue.push_back(to);
          if (to < problem_->classes && S[to] < -hair / nodes) sink = to;
        }
    if (sink < 0) return false;
    double amount = std::min(S[source], -S[sink]);
    for (Index to = sink; to != source; to = before[to]) amount = std::min(amount, edge[before[to] * nodes + to].room);
    for (Index to = sink; to != source; to = before[to]) {
      const Edge& used = edge[before[to] * nodes + to];
      const Index i = static_cast<Index>(used.at % problem_->size());
      alpha[used.at] = std::clamp(alpha[used.at] + used.sign * amount, 0.0, problem_->price[i]);
      changed.push_back(i);
    }
    S[source] -= amount;
    S[sink] += amount;
    return true;
  }

  const Problem* problem_;
  std::vector<double> b_;
};

}  // namespace wm::joint
