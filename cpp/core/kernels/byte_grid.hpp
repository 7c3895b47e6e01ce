#pragma once
// The grid of points whose coordinates are whole multiples of one step, few enough of them that a byte tells which:
//
//   x_j = step (least + u),   u = 0, ..., 255.
//
// Such are the grey values of pictures, as they are or divided by 255, grades, and small counts.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../points.hpp"
#include "../simd.hpp"

namespace wm {

class ByteGrid {
 public:
  /// The grid of all these points; nothing if they have none, which most of those say at once.
  static std::optional<ByteGrid> of(const Points& x, const Points& z) {
    ByteGrid grid;
    for (const Points* points : {&x, &z})
      if (!grid.divides_some(*points)) return std::nullopt;
    if (grid.largest_ == 0.0) return std::nullopt;
    grid.step_ = grid.largest_ / std::round(grid.largest_ / grid.step_);  // Euclid's rounding is gone
    for (const Points* points : {&x, x == z ? &x : &z})
      if (!grid.divides_all(*points)) return std::nullopt;
    return grid;
  }

  double step() const { return step_; }
  double least() const { return least_; }

  std::uint32_t byte(double value) const { return static_cast<std::uint32_t>(std::lrint(value / step_ - least_)); }

 private:
  static constexpr double most = 255.0;

  template <class Holds>
  static bool every(const Points& points, Index stride, Holds holds) {
    return std::visit(
        [&](const auto& p) {
          for (Index i = 0; i < p.count; i += stride)
            if (!holds(p[i])) return false;
          return true;
        },
        points);
  }

  /// Makes the step one of which all coordinates of a few points are multiples; false if it gets too small.
  bool divides_some(const Points& points) {
    return every(points, std::max<Index>(1, count(points) / 16), [&](const auto& point) {
      for (Index j = 0; j < point.size; ++j)
        if (!divide(static_cast<double>(point.values[j]))) return false;
      return true;
    });
  }

  /// Euclid's algorithm, where a remainder that is rounding counts as none.
  bool divide(double value) {
    double rest = std::abs(value);
    if (!(rest < 1e100)) return false;
    largest_ = std::max(largest_, rest);
    const double rounding = 1e-9 * largest_;
    if (step_ == 0.0) step_ = rest;
    while (rest > rounding) {
      const double next = std::abs(rest - step_ * std::nearbyint(rest / step_));
      rest = next > rounding ? std::exchange(step_, next) : 0.0;
    }
    return largest_ <= (most + 0.5) * step_ || step_ == 0.0;
  }

  /// Finds the least multiple; false if some coordinate is none, or too far from others.
  bool divides_all(const Points& points) {
    return every(points, 1, [&](const auto& point) {
      double off = 0.0, low = least_, high = greatest_;
      simd::on_avx512([&]() WM_INLINE_LAMBDA {
        const double by = 1.0 / step_;
#pragma omp simd reduction(max : off, high) reduction(min : low)
        for (Index j = 0; j < point.size; ++j) {
          const double scaled = static_cast<double>(point.values[j]) * by, whole = std::nearbyint(scaled);
          const double distance = std::abs(scaled - whole);
          off = distance > off ? distance : off;
          low = whole < low ? whole : low;
          high = whole > high ? whole : high;
        }
      });
      least_ = low;
      greatest_ = high;
      return off <= 5e-13 && greatest_ - least_ <= most;
    });
  }

  double step_ = 0.0, largest_ = 0.0;    // of absolute values
  double least_ = 0.0, greatest_ = 0.0;  // in steps; zero is always among the values
};

}  // namespace wm
