#pragma once
// What two points contribute to a sum at coordinate j:
//
//   term(x_j, z_j, j)   and   correction(x_j, z_j, j) = term(x_j, z_j, j) - term(x_j, 0, j).
//
// A Term is asked for its form `in<A>()` the arithmetic of the sum, float or double, before a sum begins. Some can be
// had from inner products of points written out in a frame (frame.hpp): <x, z> itself or |x|^2 + |z|^2 - 2 <x, z>.
//
// Between zeros and ones some terms are themselves 0 or 1: these say by `bits(x, z)` where, a bit per coordinate.

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "frame.hpp"

namespace wm {

enum class FromProducts { no, product, squared_distance };

struct ProductTerm {
  static constexpr bool zero_at_zero = true;  // term(x, 0) = 0
  static constexpr FromProducts from_products = FromProducts::product;
  Frame frame(const Points& points) const { return Frame(dimension(points)); }
  static WM_INLINE std::uint32_t bits(std::uint32_t x, std::uint32_t z) { return x & z; }
  template <class A>
  ProductTerm in() const {
    return {};
  }
  template <class A>
  WM_INLINE A term(A x, A z, Index) const {
    return x * z;
  }
  template <class A>
  WM_INLINE A correction(A x, A z, Index) const {
    return x * z;
  }
};

struct SquaredDifferenceTerm {
  static constexpr bool zero_at_zero = false;
  static constexpr FromProducts from_products = FromProducts::squared_distance;
  Frame frame(const Points& points) const { return Frame::at_mean_of(points); }
  static WM_INLINE std::uint32_t bits(std::uint32_t x, std::uint32_t z) { return x ^ z; }
  template <class A>
  SquaredDifferenceTerm in() const {
    return {};
  }
  template <class A>
  WM_INLINE A term(A x, A z, Index) const {
    return (x - z) * (x - z);
  }
  template <class A>
  WM_INLINE A correction(A x, A z, Index) const {
    return z * (z - 2 * x);
  }
};

struct AbsoluteDifferenceTerm {
  static constexpr bool zero_at_zero = false;
  static constexpr FromProducts from_products = FromProducts::no;
  static WM_INLINE std::uint32_t bits(std::uint32_t x, std::uint32_t z) { return x ^ z; }
  template <class A>
  AbsoluteDifferenceTerm in() const {
    return {};
  }
  template <class A>
  WM_INLINE A term(A x, A z, Index) const {
    return std::abs(x - z);
  }
  template <class A>
  WM_INLINE A correction(A x, A z, Index) const {
    return std::abs(x - z) - std::abs(x);
  }
};

/// weight_j (x_j - z_j)^2.
class WeightedSquaredDifferenceTerm {
  template <class A>
  struct In {
    static constexpr bool zero_at_zero = false;
    const A* weights;
    WM_INLINE A term(A x, A z, Index j) const { return weights[j] * ((x - z) * (x - z)); }
    WM_INLINE A correction(A x, A z, Index j) const { return weights[j] * (z * (z - 2 * x)); }
  };

 public:
  static constexpr FromProducts from_products = FromProducts::squared_distance;

  explicit WeightedSquaredDifferenceTerm(std::vector<double> weights)
      : double_(std::move(weights)), single_(double_.begin(), double_.end()) {}

  Frame frame(const Points& points) const {
    std::vector<double> scale;
    for (const double weight : double_) scale.push_back(std::sqrt(weight));
    return Frame::at_mean_of(points, std::move(scale));
  }

  template <class A>
  In<A> in() const {
    if constexpr (std::is_same_v<A, float>)
      return {single_.data()};
    else
      return {double_.data()};
  }

 private:
  std::vector<double> double_;
  std::vector<float> single_;
};

}  // namespace wm
