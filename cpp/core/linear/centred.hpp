#pragma once
// Dense points seen from their mean.
//
// Where the variables of a free bias sum to zero, moving all points moves nothing but that bias:
//
//   sum_v a_v (x_v - m) = sum_v a_v x_v = w,    <w, x> + b = <w, x - m> + (b + <w, m>).
//
// Far from the origin, sweeps and factors would spend their digits on m.

#include <vector>

#include "../problem.hpp"
#include "rows.hpp"

namespace wm::linear {

/// A copy of the points of a problem less their mean, under the numbers that they have in the data; not whole if told
/// to stop.
class CentredPoints {
 public:
  using Value = double;
  static constexpr bool sparse = false;

  template <class T, class MustStop>
  CentredPoints(const wm::Problem& problem, const DensePoints<T>& points, MustStop must_stop)
      : count(points.count), dimension(points.dimension), place_(points.count, -1), mean_(points.dimension, 0.0) {
    for (Index v = 0; v < problem.size(); ++v) place_[problem.point(v)] = 0;
    Index known = 0;
    for (Index row = 0; row < count; ++row) {
      if (place_[row] < 0) continue;
      place_[row] = known++;
      add(points[row], 1.0, mean_.data());
      if (known % look_every == 0 && must_stop()) return;
    }
    for (double& m : mean_) m /= known;
    values_.reserve(std::size_t(known) * dimension);
    for (Index row = 0; row < count; ++row) {
      if (place_[row] >= 0) each_coordinate(points[row], [&](Index j, double x) { values_.push_back(x - mean_[j]); });
      if (row % look_every == look_every - 1 && must_stop()) return;
    }
    whole_ = true;
  }

  bool whole() const { return whole_; }

  Index count, dimension;

  DensePoint<double> operator[](Index row) const {
    return {values_.data() + std::ptrdiff_t(place_[row]) * dimension, dimension};
  }

  /// <w, m>
  double at_mean(const std::vector<double>& w) const {
    return inner(DensePoint<double>{mean_.data(), dimension}, w.data());
  }

 private:
  std::vector<Index> place_;  // -1: not in the problem
  std::vector<double> mean_, values_;
  bool whole_ = false;
};

/// Whether a problem may be solved on centred points, and they are far enough from the origin for that to pay.
template <class T, class MustStop>
bool centring_pays(const wm::Problem& problem, const DensePoints<T>& points, MustStop must_stop) {
  double sum = 0.0, size = 0.0, squares = 0.0;
  std::vector<double> total(points.dimension, 0.0);
  for (Index v = 0; v < problem.size(); ++v) {
    if (problem.grounded(v)) return false;
    sum += problem.start[v];
    size += std::abs(problem.start[v]);
    const auto x = points[problem.point(v)];
    add(x, 1.0, total.data());
    each_coordinate(x, [&](Index, double xj) { squares += xj * xj; });
    if (v % look_every == look_every - 1 && must_stop()) return false;
  }
  double mean_square = 0.0;
  for (const double t : total) mean_square += (t / problem.size()) * (t / problem.size());
  return std::abs(sum) <= 1e-12 * size && mean_square > 0.5 * squares / problem.size();
}

}  // namespace wm::linear
