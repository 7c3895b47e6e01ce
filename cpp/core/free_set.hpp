#pragma once
// The free variables F (strictly between their bounds) and the system that holds for them at an optimum:
//
//   Q_FF d + r 1 = G_F,   1'd = 0 in every group
//
// Its solution d is the exact step to the best point with all other variables fixed, where pair steps may take millions
// of iterations. One variable of each group is expressed by the others, d_ref = -sum of d; what remains is symmetric
// positive semi-definite and is solved by Cholesky factors of
//
//   M_ij = Q_ij - Q_i,ref - Q_ref,j + Q_ref,ref      (variables of different groups with their own references)

#include <algorithm>
#include <cmath>
#include <vector>

#include "gram.hpp"
#include "state.hpp"

namespace wm {

/// Solves (M + tiny ridge) x = b in place of b, for symmetric positive semi-definite M (destroyed).
inline void solve_semidefinite(std::vector<double>& M, std::vector<double>& b) {
  const std::size_t n = b.size();
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, M[i * n + i]);
  const double ridge = 1e-14 * static_cast<double>(n) * largest;
  for (std::size_t i = 0; i < n; ++i) {
    double* row_i = &M[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* row_j = &M[j * n];
      double sum = row_i[j];
#pragma omp simd reduction(- : sum)
      for (std::size_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
      row_i[j] = i == j ? std::sqrt(std::max(sum, 0.0) + ridge) : sum / row_j[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= M[i * n + k] * b[k];
    b[i] /= M[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= M[i * n + i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= M[i * n + k] * b[i];
  }
}

template <class Real>
class FreeSet {
 public:
  explicit FreeSet(const State<Real>& state) : state_(state) {
    for (Index k = 0; k < state.size(); ++k)
      if (state.can_rise(k) && state.can_fall(k)) member_.push_back(k);
  }

  Index size() const { return static_cast<Index>(member_.size()); }

  /// Multiplications of one factorisation.
  double work() const { return std::pow(static_cast<double>(size()), 3) / 6.0; }

  /// Exact steps, dropping each variable that meets a bound, until one step is not cut short, `budget` is spent or
  /// `must_stop()` says so. Returns what was spent.
  template <class MustStop>
  double improve(double budget, MustStop must_stop) {
    load();
    double spent = 0.0;
    std::vector<Index> free(member_.size());
    for (std::size_t a = 0; a < free.size(); ++a) free[a] = static_cast<Index>(a);
    while (free.size() > 1 && spent < budget && !must_stop()) {
      spent += std::pow(static_cast<double>(free.size()), 3) / 6.0;
      if (!step(free)) break;
    }
    return spent;
  }

  /// Hands the new values to the state; returns the gain of the objective, (old + new gradient)'change / 2.
  double store(State<Real>& state) const {
    double gain = 0.0;
    std::vector<double> change;
    for (std::size_t a = 0; a < member_.size(); ++a) {
      change.push_back(alpha_[a] - state.alpha[member_[a]]);
      gain += 0.5 * (state.gradient[member_[a]] + gradient_[a]) * change[a];
    }
    for (std::size_t a = 0; a < member_.size(); ++a)
      if (change[a] != 0.0) state.change(member_[a], change[a]);
    state.rescan();
    return gain;
  }

 private:
  double Q(Index a, Index b) const { return Q_[static_cast<std::size_t>(a) * member_.size() + b]; }

  void load() {
    for (Index k : member_) {
      alpha_.push_back(state_.alpha[k]);
      gradient_.push_back(state_.gradient[k]);
    }
    Q_ = state_.exact_block(member_);
  }

  /// One exact step on `free`, or to the first bound, whose variables then leave `free`; false if nothing is left to
  /// do.
  bool step(std::vector<Index>& free) {
    const std::vector<double> d = direction(free);
    double slope = 0.0, curvature = 0.0;
    std::vector<double> Qd(member_.size(), 0.0);
    for (std::size_t a = 0; a < free.size(); ++a) {
      slope += gradient_[free[a]] * d[a];
      for (std::size_t b = 0; b < member_.size(); ++b) Qd[b] += Q(free[a], static_cast<Index>(b)) * d[a];
    }
    for (std::size_t a = 0; a < free.size(); ++a) curvature += Qd[free[a]] * d[a];
    if (!(slope > 0.0)) return false;
    const double best = curvature > 0.0 ? slope / curvature : infinity;
    double room = infinity;
    for (std::size_t a = 0; a < free.size(); ++a) {
      const Index k = member_[free[a]];
      const double ahead = d[a] > 0.0 ? state_.upper[k] - alpha_[free[a]] : alpha_[free[a]] - state_.lower[k];
      if (d[a] != 0.0) room = std::min(room, ahead / std::abs(d[a]));
    }
    const double length = std::min(best, room);
    if (std::isinf(length)) return false;
    std::vector<Index> left;
    for (std::size_t a = 0; a < free.size(); ++a) {
      const Index m = free[a], k = member_[m];
      alpha_[m] += length * d[a];
      const double rounding = 1e-14 * std::max(std::abs(length * d[a]), std::abs(alpha_[m]));
      if (state_.upper[k] - alpha_[m] <= rounding)
        alpha_[m] = state_.upper[k];
      else if (alpha_[m] - state_.lower[k] <= rounding)
        alpha_[m] = state_.lower[k];
      else
        left.push_back(m);
    }
    for (std::size_t b = 0; b < member_.size(); ++b) gradient_[b] -= length * Qd[b];
    const bool cut_short = left.size() < free.size();
    free = std::move(left);
    return cut_short;
  }

  std::vector<double> direction(const std::vector<Index>& free) const {
    std::vector<std::size_t> reference(free.size()), others;
    for (std::size_t a = 0; a < free.size(); ++a) {
      const bool first = a == 0 || state_.group_of(member_[free[a]]) != state_.group_of(member_[free[a - 1]]);
      reference[a] = first ? a : reference[a - 1];
      if (!first) others.push_back(a);
    }
    std::vector<double> M(others.size() * others.size()), b(others.size()), d(free.size(), 0.0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Index p = free[others[i]], s = free[reference[others[i]]];
      b[i] = gradient_[p] - gradient_[s];
      for (std::size_t j = 0; j <= i; ++j) {
        const Index q = free[others[j]], t = free[reference[others[j]]];
        M[i * others.size() + j] = Q(p, q) - Q(p, t) - Q(s, q) + Q(s, t);
      }
    }
    solve_semidefinite(M, b);
    for (std::size_t i = 0; i < others.size(); ++i) {
      d[others[i]] = b[i];
      d[reference[others[i]]] -= b[i];
    }
    return d;
  }

  const State<Real>& state_;
  std::vector<Index> member_;  // positions in the state
  std::vector<double> alpha_, gradient_, Q_;
};

}  // namespace wm
