#pragma once
// A point of a problem with a linear kernel, by its weights: w = sum_v a_v x_v, so that (K a)_v = <w, x_v>.
//
// A constant coordinate may be added to every point: its weight times the constant is a bias whose square is part of
// |w|^2. A free bias is no coordinate; it is the offset that belongs to the fixed sum of the variables.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../certificate.hpp"
#include "../problem.hpp"
#include "rows.hpp"

namespace wm::linear {

/// A point and its variables: one, or the two of a regression.
struct Visit {
  Index row, first, second;
};

/// What solvers by Gram may believe; here gradients are exact or not there.
struct NoBelief {
  std::vector<Index> variables;
  double objective = 0.0;
};

template <class Vectors>
class Iterate {
 public:
  Iterate(const wm::Problem& problem, const Vectors& points, double constant, std::vector<double> start)
      : alpha(std::move(start)),
        weights(points.dimension + std::size_t{1}, 0.0),
        problem_(problem),
        points_(points),
        constant_(constant),
        total_(sum()),
        gradient_(problem.size(), 0.0) {
    gather_visits();
  }

  std::vector<double> alpha, weights;
  double offset = 0.0;  // the free bias

  const wm::Problem& problem() const { return problem_; }
  const Vectors& points() const { return points_; }
  double constant() const { return constant_; }
  const std::vector<Visit>& visits() const { return visits_; }
  bool has_free_bias() const { return grounded_ < 0; }
  double total() const { return total_; }
  bool exact() const { return exact_; }
  const NoBelief& belief() const { return belief_; }
  double gradient(Index v) const { return gradient_[v]; }
  const std::vector<double>& gradient() const { return gradient_; }
  std::int64_t entries() const { return entries_; }  // coordinates written down, of all visits

  /// What a sweep over all visits takes, in multiplications with scattered coordinates.
  double sweep_work() const {
    return (Vectors::sparse ? 2.0 : 0.8) * static_cast<double>(entries_) + 20.0 * static_cast<double>(visits_.size());
  }

  bool is_free(Index v) const { return problem_.lower[v] < alpha[v] && alpha[v] < problem_.upper[v]; }

  double square(Index row) const {
    double sum = constant_ * constant_;
    each_coordinate(points_[row], [&](Index, double x) { sum += x * x; });
    return sum;
  }

  /// <w, x> for any weights of this kind.
  double value(Index row, const double* w) const { return inner(points_[row], w) + constant_ * w[points_.dimension]; }
  double value(Index row) const { return value(row, weights.data()); }

  /// w += t x
  void add(Index row, double t) {
    linear::add(points_[row], t, weights.data());
    weights[points_.dimension] += t * constant_;
    exact_ = false;
  }

  void move(const Visit& visit, Index v, double to) {
    const double change = to - alpha[v];
    if (change == 0.0) return;
    add(visit.row, change);
    alpha[v] = to;
  }

  double sum() const {
    double total = 0.0;
    for (const double a : alpha) total += a;
    return total;
  }

  /// Calls body(visit, v) for each variable with a point.
  template <class Body>
  void each_variable(Body body) const {
    for (const Visit& visit : visits_) {
      body(visit, visit.first);
      if (visit.second >= 0) body(visit, visit.second);
    }
  }

  /// Gives the variables the sum they must have: by the same shift of all that are free, then of all that can move.
  void restore_sum() {
    if (!has_free_bias()) {
      alpha[grounded_] = 0.0;
      alpha[grounded_] = total_ - sum();
      return;
    }
    for (int pass = 0; pass < 100; ++pass) {
      const double lacking = total_ - sum();
      double size = 0.0;
      Index free = 0, movable = 0;
      each_variable([&](const Visit&, Index v) {
        size += std::abs(alpha[v]);
        free += is_free(v);
        movable += can_move(v, lacking);
      });
      if (std::abs(lacking) <= 1e-15 * size || movable == 0) return;
      const double shift = lacking / (free > 0 ? free : movable);
      each_variable([&](const Visit& visit, Index v) {
        if (free > 0 ? is_free(v) : can_move(v, lacking))
          move(visit, v, std::clamp(alpha[v] + shift, problem_.lower[v], problem_.upper[v]));
      });
    }
  }

  /// Weights from nothing but the variables; false if told to stop.
  template <class MustStop>
  bool rebuild(MustStop must_stop) {
    std::fill(weights.begin(), weights.end(), 0.0);
    exact_ = false;
    for (std::size_t k = 0; k < visits_.size(); ++k) {
      const Visit& visit = visits_[k];
      const double coefficient = alpha[visit.first] + (visit.second < 0 ? 0.0 : alpha[visit.second]);
      if (coefficient != 0.0) add(visit.row, coefficient);
      if (k % look_every == look_every - 1 && must_stop()) return false;
    }
    return true;
  }

  /// The gradient of all variables from the weights; false if told to stop.
  template <class MustStop>
  bool differentiate(MustStop must_stop) {
    exact_ = false;
    for (std::size_t k = 0; k < visits_.size(); ++k) {
      set_gradients(visits_[k], value(visits_[k].row));
      if (k % look_every == look_every - 1 && must_stop()) return false;
    }
    return exact_ = true;
  }

  /// The same at other weights, from their values at all visits.
  void differentiate_at(const std::vector<double>& values) {
    for (std::size_t k = 0; k < visits_.size(); ++k) set_gradients(visits_[k], values[k]);
    exact_ = true;
  }

 private:
  bool can_move(Index v, double by) const {
    return by > 0.0 ? alpha[v] < problem_.upper[v] : alpha[v] > problem_.lower[v];
  }

  void set_gradients(const Visit& visit, double f) {
    set_gradient(visit.first, f);
    if (visit.second >= 0) set_gradient(visit.second, f);
  }
  void set_gradient(Index v, double f) { gradient_[v] = problem_.linear[v] - f - problem_.ridge_of(v) * alpha[v]; }

  void gather_visits() {
    std::vector<Index> seen(points_.count, -1);
    visits_.reserve(std::min(points_.count, problem_.size()));
    for (Index v = 0; v < problem_.size(); ++v) {
      const Index row = problem_.point(v);
      if (row < 0) {
        grounded_ = v;
        continue;
      }
      Index& place = seen[row];
      if (place >= 0 && visits_[place].second < 0) {
        visits_[place].second = v;
        continue;
      }
      place = static_cast<Index>(visits_.size());
      visits_.push_back({row, v, -1});
      entries_ += points_[row].size;
    }
  }

  const wm::Problem& problem_;
  const Vectors& points_;
  const double constant_, total_;
  std::vector<double> gradient_;
  std::vector<Visit> visits_;
  NoBelief belief_;
  Index grounded_ = -1;
  std::int64_t entries_ = 0;
  bool exact_ = false;
};

}  // namespace wm::linear
