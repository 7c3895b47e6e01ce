#pragma once
// Kernels that see a pair of points through their inner product.

#include "pairwise.hpp"

namespace wm {

/// dot -> (gamma * dot + coef0)^degree, over a row.
struct Power {
  static constexpr bool bears_rounding = false;
  double sensitivity() const { return infinity; }
  double gamma, coef0;
  int degree;

  template <class T>
  void operator()(T* values, std::size_t count) const {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      const T g = T(gamma), c = T(coef0);
      for (std::size_t b = 0; b < count; ++b) values[b] = g * values[b] + c;
      raise(values, count);
    });
  }

 private:
  /// By squaring, a stretch of the row at a time.
  template <class T>
  WM_INLINE void raise(T* values, std::size_t count) const {
    constexpr std::size_t stretch = 64;
    for (std::size_t first = 0; first < count; first += stretch) {
      T power[stretch];
      T* const base = values + first;
      const std::size_t size = count - first < stretch ? count - first : stretch;
      for (std::size_t b = 0; b < size; ++b) power[b] = 1;
      for (int rest = degree; rest > 0; rest /= 2) {
        if (rest % 2)
          for (std::size_t b = 0; b < size; ++b) power[b] *= base[b];
        for (std::size_t b = 0; b < size; ++b) base[b] *= base[b];
      }
      for (std::size_t b = 0; b < size; ++b) base[b] = power[b];
    }
  }
};

/// dot -> tanh(gamma * dot + coef0), over a row.
struct HyperbolicTangent {
  static constexpr bool bears_rounding = false;
  double sensitivity() const { return infinity; }
  double gamma, coef0;

  template <class T>
  void operator()(T* values, std::size_t count) const {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      const T g = T(gamma), c = T(coef0);
      for (std::size_t b = 0; b < count; ++b) values[b] = simd::tanh(g * values[b] + c);
    });
  }
};

/// k(x, z) = <x, z>.
using LinearGram = PairwiseGram<ProductTerm, Identity>;

/// k(x, z) = (gamma <x, z> + coef0)^degree.
using PolynomialGram = PairwiseGram<ProductTerm, Power>;

/// k(x, z) = tanh(gamma <x, z> + coef0); not positive semi-definite in general.
using SigmoidGram = PairwiseGram<ProductTerm, HyperbolicTangent>;

}  // namespace wm
