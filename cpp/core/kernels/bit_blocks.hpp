#pragma once
// Blocks of sums over coordinates of points whose coordinates are all 0 or 1:
//
//   <x, z> = ones(x & z),   |x - z|^2 = sum_j |x_j - z_j| = ones(x ^ z).
//
// Such sums are whole numbers from 0 to the dimension. They are exact, and what is made of them is one of few values.

#include <memory>
#include <utility>

#include "bit_points.hpp"
#include "word_blocks.hpp"

namespace wm {

/// Term::bits(x, z) says where the terms of two points are 1.
template <class Term>
class BitBlocks {
 public:
  using Word = BitPoints::Word;

  /// Nothing if points have other coordinates, or too few that are 1.
  static std::unique_ptr<const BitBlocks> of(const Points& x, const Points& z) {
    auto xs = BitPoints::of(x);
    auto zs = !xs || x == z ? xs : BitPoints::of(z);
    return zs ? std::unique_ptr<const BitBlocks>(new BitBlocks(std::move(xs), std::move(zs))) : nullptr;
  }

  /// Calls use(a, b, sums, count) for stretches of sums: row a from column b on.
  template <class Use>
  void for_each_stretch(std::span<const Index> which, std::span<const Index> columns, Use use) const {
    const std::size_t width = x_->width();
    Blocks::for_each_stretch(
        *x_, *z_, which, columns,
        [width](const Word* x, std::size_t rows, const Word* z, std::size_t columns, Word* sums) {
          sum(x, rows, z, columns, width, sums);
        },
        [&](std::size_t a, std::size_t b, const Word* sums, std::size_t count) { use(a, b, sums, count); });
  }

 private:
  static constexpr std::size_t rows_at_once = 4;
  using Blocks = WordBlocks<rows_at_once>;
  static constexpr std::size_t lanes = Blocks::lanes, widest = Blocks::widest;

  BitBlocks(std::shared_ptr<const BitPoints> x, std::shared_ptr<const BitPoints> z)
      : x_(std::move(x)), z_(std::move(z)) {}

  /// sums[a * widest + b], up to the next multiple of `lanes` columns.
  static void sum(const Word* x, std::size_t rows, const Word* z, std::size_t columns, std::size_t width, Word* sums) {
    simd::counting_ones([=](auto ones) WM_INLINE_LAMBDA {
      for (std::size_t b = 0; b < columns; b += lanes) {
        if (rows == rows_at_once)
          sum_beside<rows_at_once>(x, z + b * width, width, sums + b, ones);
        else
          for (std::size_t a = 0; a < rows; ++a)
            sum_beside<1>(x + a * width, z + b * width, width, sums + a * widest + b, ones);
      }
    });
  }

  /// The columns that lie side by side, read once for all rows.
  template <std::size_t rows, class Ones>
  static WM_INLINE void sum_beside(const Word* x, const Word* z, std::size_t width, Word* sums, Ones ones) {
    Word sum[rows][lanes] = {};
    for (std::size_t w = 0; w < width; ++w)
      for (std::size_t a = 0; a < rows; ++a) {
        const Word coordinates = x[a * width + w];
#pragma omp simd
        for (std::size_t b = 0; b < lanes; ++b) sum[a][b] += ones(Term::bits(coordinates, z[w * lanes + b]));
      }
    for (std::size_t a = 0; a < rows; ++a)
#pragma omp simd
      for (std::size_t b = 0; b < lanes; ++b) sums[a * widest + b] = sum[a][b];
  }

  std::shared_ptr<const BitPoints> x_, z_;
};

}  // namespace wm
