#pragma once
// A few points written out densely, whatever their storage, as one side of sums over coordinates.

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "../points.hpp"

namespace wm {

/// One point written out: `values` has all d coordinates, `support` names those that may differ from zero, ascending.
template <class A>
struct ScatteredPoint {
  const A* values;
  std::span<const Index> support;
};

/// Room for points written out in type A, kept at zero between uses so that a sparse point costs only its nonzeros.
template <class A>
class Scattered {
 public:
  /// Each thread writes into its own.
  static Scattered& of_this_thread() {
    static thread_local Scattered scattered;
    return scattered;
  }

  /// Write out points[which]; the result is valid until the next call of clear().
  const std::vector<ScatteredPoint<A>>& write(const Points& points, std::span<const Index> which) {
    const std::size_t d = dimension(points);
    if (room_.size() < which.size() * d) room_.resize(which.size() * d);
    for (std::size_t a = 0; a < which.size(); ++a) {
      A* values = room_.data() + a * d;
      std::visit([&](const auto& p) { write(p[which[a]], values); }, points);
    }
    return written_;
  }

  void clear() {
    for (const auto& point : written_)
      for (const Index j : point.support) room_[(point.values - room_.data()) + j] = 0;
    written_.clear();
  }

 private:
  template <class T>
  void write(DensePoint<T> point, A* values) {
    std::copy_n(point.values, point.size, values);
    if (Index(all_.size()) < point.size) grow_all(point.size);
    written_.push_back({values, std::span(all_).first(point.size)});
  }

  template <class T>
  void write(SparsePoint<T> point, A* values) {
    for (Index k = 0; k < point.size; ++k) values[point.coordinates[k]] = A(point.values[k]);
    written_.push_back({values, {point.coordinates, std::size_t(point.size)}});
  }

  void grow_all(Index d) {
    all_.resize(d);
    std::iota(all_.begin(), all_.end(), Index(0));
  }

  std::vector<A> room_;
  std::vector<Index> all_;  // 0, 1, 2, ...: the support of a dense point
  std::vector<ScatteredPoint<A>> written_;
};

}  // namespace wm
