#pragma once
// Blocks of sums over coordinates of points written out in a frame, where the sum is an inner product or a squared
// distance. By matrix products (in strips of columns, or by BLAS):
//
//   sums[a, b] = <x_a, z_b>   or   |x_a|^2 + |z_b|^2 - 2 <x_a, z_b>
//
// The second form cancels. Its error is a rounding of |x|^2 + |z|^2, seen from the mean of the points, and matters by
// the sensitivity of what is made of it (gamma of a Gaussian); single precision is used where that stays harmless.
// Distances over few coordinates are sums of squared differences, which lose less; over some more of them, too, where
// products would need double precision.

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "../blas.hpp"
#include "../gram.hpp"
#include "../lease.hpp"
#include "packed_points.hpp"
#include "strips.hpp"
#include "terms.hpp"

namespace wm {

class PackedBlocks {
 public:
  PackedBlocks(const Points& x, const Points& z, Frame frame, bool distances, double sensitivity)
      : frame_(std::move(frame)),
        distances_(distances),
        by_differences_(distances && frame_.dimension() <= few),
        single_(x, z, frame_),
        double_(x, z, frame_) {
    const bool many = frame_.dimension() > few;
    if (!fills_enough(x) || !fills_enough(z) || !(many ? blas::available() || strips_pay() : distances)) return;
    if (!distances) {
      double_pays_ = true;
      single_pays_ = !is_double(x) && !is_double(z);
      return;
    }
    const double square = std::max(frame_.largest_square(x), frame_.largest_square(z));
    // An error of |x|^2 is seen whole; one of x - z only where that is small, on the scale of the kernel.
    const double of_products = 8.0 * sensitivity * square, of_differences = std::sqrt(sensitivity * square);
    by_differences_ |= frame_.dimension() <= 32 && of_products > harmless;  // as fast as products in double
    magnification_ = by_differences_ ? of_differences : of_products;
    single_pays_ = magnification_ <= harmless && square < 1e30 && sensitivity < 1e30;
    double_pays_ = by_differences_ ? single_pays_ : magnification_ <= 8e4;
  }

  /// Whether to get entries in type Out here.
  template <class Out>
  bool worthwhile() const {
    return double_pays_ || (std::is_same_v<Out, float> && single_pays_);
  }

  /// What the rounding of an entry is multiplied by, at most, and added to it. (Between points that are equal, or
  /// nearly so, BLAS may lose a few times as much over hundreds of coordinates: it adds up squares one after the
  /// other.)
  double magnification(Arithmetic precision) const {
    return (precision == Arithmetic::Single ? single_pays_ : double_pays_) ? magnification_ : 0.0;
  }

  /// Calls use(a, b, sums, count) for stretches of sums: row a from column b on, and the rows after it if they are
  /// whole.
  template <class Out, class Use>
  void for_each_stretch(std::span<const Index> which, std::span<const Index> columns, Use use) const {
    if (std::is_same_v<Out, float> && single_pays_)
      by_parts(single_, which, columns, use);
    else
      by_parts(double_, which, columns, use);
  }

 private:
  /// The points of both sides, which may be the same.
  template <class A>
  struct Sides {
    Sides(const Points& x, const Points& z, const Frame& frame)
        : x(std::make_shared<PackedPoints<A>>(x, frame)),
          z(x == z ? this->x : std::make_shared<PackedPoints<A>>(z, frame)) {}
    std::shared_ptr<PackedPoints<A>> x, z;
  };

  template <class A, class Use>
  void by_parts(const Sides<A>& sides, std::span<const Index> which, std::span<const Index> columns, Use use) const {
    static thread_local Packed<A> x_room, z_room;
    // A block of sums stays in a near cache, and points with very many coordinates do not take much room.
    const std::size_t affordable = (std::size_t{1} << 20) / frame_.dimension() + 32;
    const std::size_t rows_at_once = std::min<std::size_t>(512, affordable);
    const std::size_t columns_at_once = std::min<std::size_t>(256, affordable);
    Lease<A> room(rows_at_once * columns_at_once);
    for (std::size_t first = 0; first < which.size(); first += rows_at_once) {
      const auto rows = which.subspan(first, std::min(rows_at_once, which.size() - first));
      const auto x = (*sides.x)(rows, x_room);
      for (std::size_t b = 0; b < columns.size(); b += columns_at_once) {
        const auto these = columns.subspan(b, std::min(columns_at_once, columns.size() - b));
        const auto z = (*sides.z)(these, z_room);
        sum(x, z, room.data());
        if (these.size() == columns.size()) {
          use(first, 0, room.data(), rows.size() * these.size());
          continue;
        }
        for (std::size_t a = 0; a < rows.size(); ++a) use(first + a, b, room.data() + a * these.size(), these.size());
      }
    }
  }

  template <class Some, class A>
  void sum(Some x, Some z, A* sums) const {
    const auto distance = [x, z](std::size_t a, std::size_t b, A product) WM_INLINE_LAMBDA {
      const A squared = x.squares[a] + z.squares[b] - 2 * product;
      return squared > 0 ? squared : A(0);
    };
    const auto itself = [](std::size_t, std::size_t, A sum) WM_INLINE_LAMBDA { return sum; };
    const auto product = [](A left, A right) WM_INLINE_LAMBDA { return left * right; };
    const auto squared_difference = [](A left, A right) WM_INLINE_LAMBDA { return (left - right) * (left - right); };
    const std::size_t d = frame_.dimension();
    if (by_differences_) return sum_in_strips(x, z, d, squared_difference, itself, sums);
    if (strips_pay()) {
      if (distances_) return sum_in_strips(x, z, d, product, distance, sums);
      return sum_in_strips(x, z, d, product, itself, sums);
    }
    blas::products(x.values, int(x.count), z.values, int(z.count), int(d), sums);
    if (!distances_) return;
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t a = 0; a < x.count; ++a)
        for (std::size_t b = 0; b < z.count; ++b) sums[a * z.count + b] = distance(a, b, sums[a * z.count + b]);
    });
  }

  /// Whether sums in strips are as fast as BLAS at its best (it does not know the widest vectors of all processors), up
  /// to where a strip leaves the near cache.
  bool strips_pay() const { return simd::wide_vectors() && frame_.dimension() <= 2048; }

  static constexpr Index few = 8;            // coordinates, over which differences are as fast as products
  static constexpr double harmless = 128.0;  // magnification of rounding in single precision

  Frame frame_;
  bool distances_, by_differences_, single_pays_ = false, double_pays_ = false;
  double magnification_ = 0.0;
  Sides<float> single_;
  Sides<double> double_;
};

}  // namespace wm
