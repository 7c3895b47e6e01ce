#pragma once
// A few points written out densely, whatever their storage, as one side of sums over coordinates.

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "../points.hpp"

namespace wm {

/// One point written out: coordinate j is values[j * stride]; `support` names those that may differ from zero,
/// ascending.
template <class A>
struct ScatteredPoint {
  A* values;
  std::ptrdiff_t stride;
  std::span<const Index> support;

  A operator[](Index j) const { return values[j * stride]; }
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

  /// Write out points[which], `together` points at a time coordinate by coordinate; the places of points missing from
  /// the last of these groups are zero. The result is valid until the next call of clear().
  std::span<const ScatteredPoint<A>> write(const Points& points, std::span<const Index> which, Index together) {
    const std::size_t d = dimension(points), groups = (which.size() + together - 1) / together;
    if (room_.size() < groups * together * d) room_.resize(groups * together * d);
    for (std::size_t a = 0; a < which.size(); ++a) {
      A* const values = room_.data() + a / together * together * d + a % together;
      std::visit([&](const auto& p) { write(p[which[a]], {values, together, {}}); }, points);
    }
    return written_;
  }

  void clear() {
    for (const auto& point : written_)
      for (const Index j : point.support) point.values[j * point.stride] = 0;
    written_.clear();
  }

 private:
  template <class T>
  void write(DensePoint<T> from, ScatteredPoint<A> to) {
    for (Index j = 0; j < from.size; ++j) to.values[j * to.stride] = A(from.values[j]);
    if (Index(all_.size()) < from.size) grow_all(from.size);
    written_.push_back({to.values, to.stride, std::span(all_).first(from.size)});
  }

  template <class T>
  void write(SparsePoint<T> from, ScatteredPoint<A> to) {
    for (Index k = 0; k < from.size; ++k) to.values[from.coordinates[k] * to.stride] = A(from.values[k]);
    written_.push_back({to.values, to.stride, {from.coordinates, std::size_t(from.size)}});
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
