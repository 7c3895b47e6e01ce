#pragma once
#include <algorithm>
#include <span>

#include "../points.hpp"
#include "../simd.hpp"

namespace wm {

/// Some coordinates of a few dense points, side by side in type A, for one row after another to be summed against:
/// whatever the dimension, a vector register holds one coordinate of as many points as it has lanes.
template <class A>
class Panel {
 public:
  static constexpr Index lanes = 256 / sizeof(A);  // 4 registers of 512 bits or 8 of 256: enough sums to overlap
  static constexpr Index stretch = 64;             // coordinates; all of them stay in the nearest cache

  /// Writes coordinates first, first + 1, ... of points, no more than there are lanes; idle lanes repeat the last one.
  template <class T>
  WM_INLINE void write(const DensePoints<T>& points, std::span<const Index> which, Index first) {
    first_ = first;
    size_ = std::min(stretch, points.dimension - first);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const T* const from = points[which[std::min(lane, which.size() - 1)]].values + first;
      A* const to = values_ + lane;
      for (Index j = 0; j < size_; ++j) to[j * lanes] = A(from[j]);
    }
  }

  /// sums[lane] += sum_j term(x_j, z_j) over the coordinates written, for the point z in each lane.
  template <class Term>
  WM_INLINE void add_sums(Term term, const A* x, A* sums) const {
    const A* z = values_;
    A part[lanes] = {};
    for (Index j = first_; j < first_ + size_; ++j, z += lanes)
      for (Index lane = 0; lane < lanes; ++lane) part[lane] += term.term(x[j], z[lane], j);
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += part[lane];
  }

 private:
  Index first_ = 0, size_ = 0;
  alignas(64) A values_[stretch * lanes];
};

}  // namespace wm
