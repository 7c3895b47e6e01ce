#pragma once
// Points against weights: what machines by weights do with the data.

#include "../points.hpp"
#include "../simd.hpp"

namespace wm {

/// Calls body(coordinate, x) for what is written down of a point.
template <class T, class Body>
WM_INLINE void each_coordinate(const DensePoint<T>& point, Body body) {
  for (Index j = 0; j < point.size; ++j) body(j, static_cast<double>(point.values[j]));
}

template <class T, class Body>
WM_INLINE void each_coordinate(const SparsePoint<T>& point, Body body) {
  for (Index k = 0; k < point.size; ++k) body(point.coordinates[k], static_cast<double>(point.values[k]));
}

namespace linear {

constexpr std::size_t look_every = 256;  // points between two looks at the clock

/// <w, x>
template <class T>
double inner(const DensePoint<T>& x, const double* w) {
  double sum = 0.0;
  simd::on_avx2([&]() WM_INLINE_LAMBDA {
    double s = 0.0;
#pragma omp simd reduction(+ : s)
    for (Index j = 0; j < x.size; ++j) s += static_cast<double>(x.values[j]) * w[j];
    sum = s;
  });
  return sum;
}

/// Four sums, for the processor to overlap.
template <class T>
double inner(const SparsePoint<T>& x, const double* w) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  const T* const values = x.values;
  const Index* const at = x.coordinates;
  Index k = 0;
  for (; k + 4 <= x.size; k += 4) {
    s0 += static_cast<double>(values[k]) * w[at[k]];
    s1 += static_cast<double>(values[k + 1]) * w[at[k + 1]];
    s2 += static_cast<double>(values[k + 2]) * w[at[k + 2]];
    s3 += static_cast<double>(values[k + 3]) * w[at[k + 3]];
  }
  for (; k < x.size; ++k) s0 += static_cast<double>(values[k]) * w[at[k]];
  return (s0 + s1) + (s2 + s3);
}

/// w += t x
template <class T>
void add(const DensePoint<T>& x, double t, double* __restrict w) {
  simd::on_avx2([&]() WM_INLINE_LAMBDA {
    const T* const __restrict values = x.values;
    for (Index j = 0; j < x.size; ++j) w[j] += t * static_cast<double>(values[j]);
  });
}

template <class T>
void add(const SparsePoint<T>& x, double t, double* __restrict w) {
  for (Index k = 0; k < x.size; ++k) w[x.coordinates[k]] += t * static_cast<double>(x.values[k]);
}

}  // namespace linear
}  // namespace wm
