#pragma once
#include <algorithm>

#include "../lease.hpp"
#include "word_points.hpp"

namespace wm {

/// Blocks of sums between points in words: calls sum(x, rows, z, columns, sums) for rows of x one by one, some of their
/// bits flipped, and columns of z side by side, and use(a, b, sums, count) for stretches of what it wrote: row a from
/// column b on.
template <std::size_t rows_at_once, WordPoints::Word flipped = 0>
class WordBlocks {
 public:
  using Word = WordPoints::Word;
  static constexpr std::size_t lanes = WordPoints::beside;
  static constexpr std::size_t widest = 256;  // of `sums` the distance between rows

  template <class Sum, class Use>
  static void for_each_stretch(const WordPoints& x, const WordPoints& z, std::span<const Index> which,
                               std::span<const Index> columns, Sum sum, Use use) {
    constexpr std::size_t near = 1 << 16;  // words of either side that stay in a near cache
    const std::size_t width = x.width();
    const std::size_t columns_together = std::clamp(near / width, 2 * lanes, widest) / (2 * lanes) * (2 * lanes);
    const std::size_t rows_together = std::max(near / width, rows_at_once);
    Lease<Word> room((columns_together + std::min(rows_together, which.size())) * width);
    Word *const z_room = room.data(), *const x_room = z_room + columns_together * width;
    Word sums[rows_at_once * widest];
    for (std::size_t first = 0; first < which.size(); first += rows_together) {
      const auto rows = which.subspan(first, std::min(rows_together, which.size() - first));
      x.one_by_one(rows, flipped, x_room);
      for (std::size_t b = 0; b < columns.size(); b += columns_together) {
        const auto these = columns.subspan(b, std::min(columns_together, columns.size() - b));
        const Word* const z_words = z.side_by_side(these, z_room);
        for (std::size_t a = 0; a < rows.size(); a += rows_at_once) {
          const std::size_t some = std::min(rows_at_once, rows.size() - a);
          sum(x_room + a * width, some, z_words, these.size(), sums);
          for (std::size_t r = 0; r < some; ++r) use(first + a + r, b, sums + r * widest, these.size());
        }
      }
    }
  }
};

}  // namespace wm
