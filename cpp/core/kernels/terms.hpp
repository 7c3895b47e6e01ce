#pragma once
// What two points contribute to a sum at coordinate j:
//
//   term(x_j, z_j, j)   and   correction(x_j, z_j, j) = term(x_j, z_j, j) - term(x_j, 0, j).
//
// A Term is asked for its form `in<A>()` the arithmetic of the sum, float or double, before a sum begins.

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "../simd.hpp"
#include "../types.hpp"

namespace wm {

struct ProductTerm {
  static constexpr bool zero_at_zero = true;  // term(x, 0) = 0
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
  explicit WeightedSquaredDifferenceTerm(std::vector<double> weights)
      : double_(std::move(weights)), single_(double_.begin(), double_.end()) {}

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
