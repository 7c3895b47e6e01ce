#pragma once
// The inner products of points with those before them.

#include <span>
#include <vector>

#include "rows.hpp"

namespace wm::linear {

template <class Vectors>
class InnerProducts {
 public:
  InnerProducts(const Vectors& points, const std::vector<Index>& rows)
      : points_(points), rows_(rows), sums_(rows.size()), end_(points.dimension + std::size_t{1}, 0) {
    if constexpr (Vectors::sparse) {
      for (const Index row : rows) each_coordinate(points[row], [&](Index j, double) { ++end_[j + 1]; });
      for (std::size_t j = 1; j < end_.size(); ++j) end_[j] += end_[j - 1];
      begin_ = end_;
      place_.resize(end_.back());
      value_.resize(end_.back());
    } else {
      other_.resize(points.dimension);
    }
  }

  /// Multiplications for it, at most.
  double work(std::size_t a) const { return (a + 1.0) * points_[rows_[a]].size; }

  /// <x_a, x_b> for b <= a, of the points by their places; asked for one a after the other.
  std::span<const double> with_those_before(std::size_t a) {
    const auto x = points_[rows_[a]];
    if constexpr (Vectors::sparse) {
      // Where points have a coordinate in common: lists by coordinate of the points so far.
      std::fill_n(sums_.begin(), a + 1, 0.0);
      each_coordinate(x, [&](Index j, double xj) {
        place_[end_[j]] = static_cast<Index>(a);
        value_[end_[j]++] = xj;
        for (std::int64_t t = begin_[j]; t < end_[j]; ++t) sums_[place_[t]] += xj * value_[t];
      });
    } else {
      each_coordinate(x, [&](Index j, double xj) { other_[j] = xj; });
      for (std::size_t b = 0; b <= a; ++b) sums_[b] = inner(points_[rows_[b]], other_.data());
    }
    return {sums_.data(), a + 1};
  }

 private:
  const Vectors& points_;
  const std::vector<Index>& rows_;
  std::vector<double> sums_, other_, value_;
  std::vector<Index> place_;
  std::vector<std::int64_t> begin_, end_;  // of the lists, by coordinate
};

}  // namespace wm::linear
