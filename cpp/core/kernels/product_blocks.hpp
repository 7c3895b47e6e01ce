#pragma once
// Blocks of sums over coordinates by matrix products (BLAS), where the sum is an inner product or a squared distance:
//
//   sums[a, b] = <x_a, z_b>   or   |x_a|^2 + |z_b|^2 - 2 <x_a, z_b>
//
// The second form cancels. Its error is a rounding of |x|^2 + |z|^2, seen from the mean of the points, and matters by
// the sensitivity of what is made of it (gamma of a Gaussian); single precision is used where that stays harmless.

#include <algorithm>
#include <type_traits>

#include "../blas.hpp"
#include "../lease.hpp"
#include "terms.hpp"

namespace wm {

class ProductBlocks {
 public:
  ProductBlocks(const Points& x, const Points& z, Frame frame, bool distances, double sensitivity)
      : x_(x), z_(z), frame_(std::move(frame)), distances_(distances) {
    worthwhile_ = pays(x) && pays(z);
    if (!worthwhile_) return;
    if (distances) {
      magnification_ = sensitivity * std::max(frame_.largest_square(x), frame_.largest_square(z));
      single_ = magnification_ <= 16.0 && frame_.largest_square(x) < 1e30 && sensitivity < 1e30;
      worthwhile_ = magnification_ <= 1e4;
    } else {
      single_ = !is_double(x) && !is_double(z);
    }
  }

  bool worthwhile() const { return worthwhile_; }

  /// Whether sums may be rounded to single precision on their way.
  bool single() const { return single_; }

  /// What the rounding of a sum is multiplied by, at most.
  double magnification() const { return single_ ? magnification_ : 0.0; }

  /// Calls use(a, b, sums, count) for stretches of sums: row a from column b on.
  template <class A, class Use>
  void for_each_stretch(std::span<const Index> which, std::span<const Index> columns, Use use) const {
    static thread_local Packed<A> x, z;
    // A block of sums stays in a near cache, and points with very many coordinates do not take much room.
    const std::size_t affordable = (std::size_t{1} << 20) / frame_.dimension() + 32;
    const std::size_t rows_at_once = std::min<std::size_t>(512, affordable);
    const std::size_t columns_at_once = std::min<std::size_t>(256, affordable);
    Lease<A> room(rows_at_once * columns_at_once);
    for (std::size_t first = 0; first < which.size(); first += rows_at_once) {
      const auto rows = which.subspan(first, std::min(rows_at_once, which.size() - first));
      frame_.pack(x_, rows, x);
      for (std::size_t b = 0; b < columns.size(); b += columns_at_once) {
        const auto these = columns.subspan(b, std::min(columns_at_once, columns.size() - b));
        frame_.pack(z_, these, z);
        A* const sums = room.data();
        blas::products(x.values.data(), int(rows.size()), z.values.data(), int(these.size()), int(frame_.dimension()),
                       sums);
        for (std::size_t a = 0; a < rows.size(); ++a) {
          A* const row = sums + a * these.size();
          if (distances_) to_distances(row, x.squares[a], z.squares.data(), these.size());
          use(first + a, b, row, these.size());
        }
      }
    }
  }

 private:
  /// Multiplying zeros is cheaper than walking along the other coordinates, up to a point.
  static bool pays(const Points& points) {
    constexpr Index few = 8;
    constexpr std::int64_t zeros_per_value = 12;
    return std::visit(
        [](const auto& p) {
          using P = std::remove_cvref_t<decltype(p)>;
          if (p.dimension <= few || p.count == 0) return false;
          if constexpr (!P::sparse) return true;
          if constexpr (P::sparse)
            return std::int64_t{p.count} * p.dimension <= zeros_per_value * (p.start(p.count) - p.start(0));
        },
        points);
  }

  template <class A>
  static void to_distances(A* products, A x_square, const A* z_squares, std::size_t count) {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (std::size_t b = 0; b < count; ++b) {
        const A distance = x_square + z_squares[b] - 2 * products[b];
        products[b] = distance > 0 ? distance : A(0);
      }
    });
  }

  const Points &x_, &z_;
  Frame frame_;
  bool distances_, single_ = false, worthwhile_ = false;
  double magnification_ = 0.0;
};

}  // namespace wm
