#pragma once
// The frame in which points are written out for matrix products.
//
//   packed(x)_j = scale_j (x_j - origin_j)
//
// Squared distances do not depend on the origin, but their rounding does: |x|^2 + |z|^2 - 2 <x, z> is exact up to the
// rounding of |x|^2 + |z|^2. Dense points are therefore seen from their mean; sparse ones stay where they are.

#include <algorithm>
#include <numeric>
#include <vector>

#include "../points.hpp"
#include "../simd.hpp"

namespace wm {

/// Some points, one after the other in type A, and their squared lengths.
template <class A>
struct Packed {
  std::vector<A> values, squares;
};

class Frame {
 public:
  explicit Frame(Index dimension = 0) : origin_(dimension, 0.0) {}

  static Frame at_mean_of(const Points& points, std::vector<double> scale = {}) {
    Frame frame(wm::dimension(points));
    frame.scale_ = std::move(scale);
    std::visit([&](const auto& p) { frame.centre(p); }, points);
    return frame;
  }

  Index dimension() const { return Index(origin_.size()); }

  template <class A>
  void pack(const Points& points, std::span<const Index> which, Packed<A>& packed) const {
    const std::size_t d = origin_.size();
    packed.values.resize(which.size() * d);
    packed.squares.resize(which.size());
    std::visit([&](const auto& p) { pack(p, which, packed); }, points);
  }

  /// The largest squared length in this frame.
  double largest_square(const Points& points) const {
    double largest = 0.0;
    Packed<double> packed;
    std::vector<Index> some;
    for (Index first = 0; first < count(points); first += Index(some.size())) {
      some.resize(std::min<Index>(64, count(points) - first));
      std::iota(some.begin(), some.end(), first);
      pack(points, some, packed);
      largest = std::max(largest, *std::max_element(packed.squares.begin(), packed.squares.end()));
    }
    return largest;
  }

 private:
  template <class T>
  void centre(const DensePoints<T>& points) {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (Index i = 0; i < points.count; ++i)
        for (Index j = 0; j < points.dimension; ++j) origin_[j] += double(points[i].values[j]);
      for (double& coordinate : origin_) coordinate /= std::max<Index>(points.count, 1);
    });
  }
  template <class T>
  void centre(const SparsePoints<T>&) {}

  template <class T, class A>
  void pack(const DensePoints<T>& points, std::span<const Index> which, Packed<A>& packed) const {
    if (points.dimension <= 4) return pack_narrow(points, which, packed);
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t a = 0; a < which.size(); ++a) {
        const T* const from = points[which[a]].values;
        A* const to = packed.values.data() + a * points.dimension;
        for (Index j = 0; j < points.dimension; ++j) to[j] = A(double(from[j]) - origin_[j]);
        finish(to, packed.squares[a]);
      }
    });
  }

  /// Points that are too short for vectors.
  template <class T, class A>
  void pack_narrow(const DensePoints<T>& points, std::span<const Index> which, Packed<A>& packed) const {
    const Index d = points.dimension;
    A* to = packed.values.data();
    for (std::size_t a = 0; a < which.size(); ++a, to += d) {
      const T* const from = points[which[a]].values;
      A sum = 0;
      for (Index j = 0; j < d; ++j) {
        to[j] = A(double(from[j]) - origin_[j]);
        if (!scale_.empty()) to[j] *= A(scale_[j]);
        sum += to[j] * to[j];
      }
      packed.squares[a] = sum;
    }
  }

  template <class T, class A>
  void pack(const SparsePoints<T>& points, std::span<const Index> which, Packed<A>& packed) const {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      std::fill(packed.values.begin(), packed.values.end(), A(0));
      for (std::size_t a = 0; a < which.size(); ++a) {
        const SparsePoint<T> from = points[which[a]];
        A* const to = packed.values.data() + a * points.dimension;
        for (Index k = 0; k < from.size; ++k) to[from.coordinates[k]] = A(from.values[k]);
        finish(to, packed.squares[a]);
      }
    });
  }

  template <class A>
  WM_INLINE void finish(A* values, A& square) const {
    const Index d = Index(origin_.size());
    if (!scale_.empty())
      for (Index j = 0; j < d; ++j) values[j] *= A(scale_[j]);
    A sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index j = 0; j < d; ++j) sum += values[j] * values[j];
    square = sum;
  }

  std::vector<double> origin_, scale_;
};

}  // namespace wm
