#pragma once
// Blocks of sums over coordinates of points on a grid, x_j = step (least + u_j) and z_j = step (least + v_j) with bytes
// u and v, from p = sum_j (u_j - 128) v_j, which vectors of bytes add up four at a time:
//
//   |x - z|^2 = step^2 (sum u^2 + sum v^2 - 256 sum v - 2 p),
//   <x, z>    = step^2 (least sum u + (least + 128) sum v + d least^2 + p).
//
// Sums in parentheses are whole numbers and exact; what rounding there is, is that of the result.

#include <memory>
#include <utility>

#include "byte_points.hpp"
#include "word_blocks.hpp"

namespace wm {

class ByteBlocks {
 public:
  using Word = WordPoints::Word;

  /// Nothing if points have no such grid or are too sparse, or if vectors cannot multiply bytes.
  static std::unique_ptr<const ByteBlocks> of(const Points& x, const Points& z, bool distances) {
    if (!simd::vectors_multiply_bytes() || !fills_enough(x) || !fills_enough(z)) return nullptr;
    const auto grid = ByteGrid::of(x, z);
    if (!grid || std::abs(grid->least()) > farthest) return nullptr;
    auto xs = BytePoints::of(x, *grid);
    auto zs = !xs || x == z ? xs : BytePoints::of(z, *grid);
    if (!zs) return nullptr;
    return std::unique_ptr<const ByteBlocks>(
        new ByteBlocks(std::move(xs), std::move(zs), *grid, dimension(x), distances));
  }

  /// Calls use(a, b, sums, count) for stretches of sums in type A: row a from column b on.
  template <class A, class Use>
  void for_each_stretch(std::span<const Index> which, std::span<const Index> columns, Use use) const {
    const std::size_t width = x_->width();
    const A scale = A(step_ * step_);
    std::int32_t of_columns[Blocks::widest];
    std::size_t known = columns.size();  // the first column of those in `of_columns`
    A sums[Blocks::widest];
    Blocks::for_each_stretch(
        *x_, *z_, which, columns,
        [width](const Word* x, std::size_t rows, const Word* z, std::size_t columns, Word* products) {
          multiply(x, rows, z, columns, width, products);
        },
        [&](std::size_t a, std::size_t b, const Word* products, std::size_t count) {
          if (b != known)
            for (std::size_t c = 0; c < count; ++c) of_columns[c] = of_column(columns[(known = b) + c]);
          const std::int32_t of_row = this->of_row(which[a]), factor = distances_ ? -2 : 1;
          simd::on_avx512([&]() WM_INLINE_LAMBDA {
            for (std::size_t c = 0; c < count; ++c)
              sums[c] = scale * A(of_row + of_columns[c] + factor * static_cast<std::int32_t>(products[c]));
          });
          use(a, b, sums, count);
        });
  }

 private:
  static constexpr std::size_t rows_at_once = 8;
  using Blocks = WordBlocks<rows_at_once, 0x80808080>;  // a byte less 128 is one with the highest bit flipped
  static constexpr double farthest = 128.0;             // of the least value from zero, in steps: sums stay below 2^31

  ByteBlocks(std::shared_ptr<const BytePoints> x, std::shared_ptr<const BytePoints> z, const ByteGrid& grid,
             Index dimension, bool distances)
      : x_(std::move(x)),
        z_(std::move(z)),
        step_(grid.step()),
        least_(static_cast<std::int32_t>(grid.least())),
        dimension_(dimension),
        distances_(distances) {}

  std::int32_t of_row(Index i) const {
    return distances_ ? x_->squares[i] : least_ * x_->sums[i] + dimension_ * least_ * least_;
  }

  std::int32_t of_column(Index i) const {
    return distances_ ? z_->squares[i] - 256 * z_->sums[i] : (least_ + 128) * z_->sums[i];
  }

  static void multiply(const Word* x, std::size_t rows, const Word* z, std::size_t columns, std::size_t width,
                       Word* products) {
    constexpr std::size_t lanes = Blocks::lanes;
    for (std::size_t b = 0; b < columns; b += 2 * lanes) {
      const bool both = columns - b > lanes;
      if (rows == rows_at_once)
        beside<rows_at_once>(both, x, z + b * width, width, products + b);
      else
        for (std::size_t a = 0; a < rows; ++a)
          beside<1>(both, x + a * width, z + b * width, width, products + a * Blocks::widest + b);
    }
  }

  /// With one group of columns that lie side by side, or with two.
  template <std::size_t rows>
  static void beside(bool both, const Word* x, const Word* z, std::size_t width, Word* products) {
    if (both)
      simd::sum_products_of_bytes<rows, 2>(x, z, width, products, Blocks::widest);
    else
      simd::sum_products_of_bytes<rows, 1>(x, z, width, products, Blocks::widest);
  }

  std::shared_ptr<const BytePoints> x_, z_;
  double step_;
  std::int32_t least_, dimension_;
  bool distances_;
};

}  // namespace wm
