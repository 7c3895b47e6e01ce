#pragma once
// The variables of an iterate by weights that are strictly inside their bounds, as exact steps (exact_steps.hpp) see
// them: with the inner products of their points. Where points have many features that is a smaller system than one in
// the weights.

#include <span>
#include <vector>

#include "../square_matrix.hpp"
#include "inner_products.hpp"
#include "iterate.hpp"

namespace wm::linear {

template <class Vectors>
class FreeVariables {
 public:
  explicit FreeVariables(Iterate<Vectors>& at) : at_(at) {
    const wm::Problem& p = at.problem();
    for (Index v = 0; v < p.size(); ++v)
      if (at.is_free(v)) {
        variable_.push_back(v);
        const double f = p.grounded(v) ? 0.0 : at.value(p.point(v));
        gradient.push_back(p.linear[v] - f - p.ridge_of(v) * at.alpha[v]);
      }
  }

  std::vector<double> gradient;  // without the offset

  /// What exact steps on so many of them take, in multiplications with scattered coordinates.
  static double work(const Iterate<Vectors>& at, double size) {
    constexpr double in_a_row = 0.15, from_memory = 0.6, steps = 10.0;  // measured
    if (size > largest) return infinity;
    const double per_row = at.entries() / std::max<double>(1.0, at.visits().size());
    const double in_common =
        Vectors::sparse ? per_row * std::sqrt(per_row / at.points().dimension) : from_memory * per_row;
    return size * size * (steps + 0.5 * in_common + in_a_row * size / 6.0);
  }

  /// The offset of a solution; what it was if no variable is free.
  double mean_gradient(double before) const {
    double sum = 0.0;
    for (const double g : gradient) sum += g;
    return gradient.empty() ? before : sum / static_cast<double>(gradient.size());
  }

  Index size() const { return static_cast<Index>(variable_.size()); }
  Index groups() const { return 1; }
  Index group_of(Index) const { return 0; }
  bool can_rise(Index) const { return true; }
  bool can_fall(Index) const { return true; }
  double alpha(Index k) const { return at_.alpha[variable_[k]]; }
  double lower(Index k) const { return at_.problem().lower[variable_[k]]; }
  double upper(Index k) const { return at_.problem().upper[variable_[k]]; }

  /// The inner products, with the constant and the ridges; false if told to stop.
  template <class MustStop>
  bool exact_block(const std::vector<Index>& members, SquareMatrix& Q, MustStop must_stop) const {
    const wm::Problem& p = at_.problem();
    std::vector<Index> place, row;
    for (std::size_t a = 0; a < members.size(); ++a)
      if (const Index v = variable_[members[a]]; !p.grounded(v)) {
        place.push_back(static_cast<Index>(a));
        row.push_back(p.point(v));
      }
    InnerProducts<Vectors> products(at_.points(), row);
    double since_a_look = 0.0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      since_a_look += products.work(a);
      if (since_a_look > 1e6 && (since_a_look = 0.0, must_stop())) return false;
      const std::span<const double> with = products.with_those_before(a);
      for (std::size_t b = 0; b <= a; ++b)
        Q(place[a], place[b]) = Q(place[b], place[a]) = with[b] + at_.constant() * at_.constant();
      Q(place[a], place[a]) += p.ridge_of(variable_[members[place[a]]]);
    }
    return true;
  }

  template <class MustStop>
  bool change(const std::vector<Index>& moved, const std::vector<double>& by, MustStop) {
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const Index v = variable_[moved[k]];
      const double to = near_bound(v, at_.alpha[v], by[k]);
      if (!at_.problem().grounded(v)) at_.add(at_.problem().point(v), to - at_.alpha[v]);
      at_.alpha[v] = to;
    }
    return true;
  }

  void rescan() {}

 private:
  /// What was meant to be a bound is one.
  double near_bound(Index v, double from, double by) const {
    const double lower = at_.problem().lower[v], upper = at_.problem().upper[v];
    const double to = from + by, rounding = 1e-14 * (std::abs(from) + std::abs(by));
    return to - lower <= rounding ? lower : upper - to <= rounding ? upper : to;
  }

  static constexpr double largest = 2000.0;  // their matrix and its factor take 64 MB

  Iterate<Vectors>& at_;
  std::vector<Index> variable_;
};

}  // namespace wm::linear
