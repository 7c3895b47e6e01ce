#pragma once
// Points of a grid, a byte for each coordinate, four to a word; those past the last coordinate are zero.

#include <memory>
#include <vector>

#include "byte_grid.hpp"
#include "word_points.hpp"

namespace wm {

class BytePoints : public WordPoints {
 public:
  /// Nothing if they would take much room, or if sums might exceed 31 bits.
  static std::shared_ptr<const BytePoints> of(const Points& points, const ByteGrid& grid) {
    const Index n = count(points), d = dimension(points);
    if (d > most_dimension || double(n) * double(words_of(d)) > most_words) return nullptr;
    auto written = std::make_shared<BytePoints>(n, d);
    std::vector<Word> bytes(4 * words_of(d));
    std::visit(
        [&](const auto& p) {
          for (Index i = 0; i < n; ++i) {
            std::fill_n(bytes.begin(), d, grid.byte(0.0));
            for (Index k = 0; k < p[i].size; ++k) bytes[coordinate(p[i], k)] = grid.byte(double(p[i].values[k]));
            written->write(bytes, i);
          }
        },
        points);
    return written;
  }

  BytePoints(Index count, Index dimension) : WordPoints(count, words_of(dimension)), sums(count), squares(count) {}

  std::vector<std::int32_t> sums, squares;  // by point, of its bytes

 private:
  static constexpr Index most_dimension = 8192;

  static std::size_t words_of(Index dimension) { return (std::size_t(dimension) + 3) / 4; }

  template <class T>
  static Index coordinate(const DensePoint<T>&, Index k) {
    return k;
  }
  template <class T>
  static Index coordinate(const SparsePoint<T>& point, Index k) {
    return point.coordinates[k];
  }

  void write(const std::vector<Word>& bytes, Index i) {
    Word* const to = place(i);
    for (std::size_t w = 0; w < width(); ++w)
      for (std::size_t q = 0; q < 4; ++q) {
        const Word byte = bytes[4 * w + q];
        to[w * beside] |= byte << (8 * q);
        sums[i] += static_cast<std::int32_t>(byte);
        squares[i] += static_cast<std::int32_t>(byte * byte);
      }
  }
};

}  // namespace wm
