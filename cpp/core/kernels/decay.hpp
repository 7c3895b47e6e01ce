#pragma once
#include "../simd.hpp"

namespace wm {

/// distance -> exp(-gamma * distance), over a row.
struct Decay {
  static constexpr bool bears_rounding = true;  // t exp(-t) < 1: no error grows
  double gamma;

  /// What an error of the distance is multiplied by.
  double sensitivity() const { return gamma; }

  template <class T>
  void operator()(T* values, std::size_t count) const {
    (*this)(values, count, values);
  }

  template <class T>
  void operator()(const T* distances, std::size_t count, T* out) const {
    simd::on_avx512([=, this]() WM_INLINE_LAMBDA {
      const T factor = T(-gamma);
      for (std::size_t b = 0; b < count; ++b) out[b] = simd::decayed(factor * distances[b]);
    });
  }
};

}  // namespace wm
