#pragma once
// Points whose coordinates are all 0 or 1, a bit for each coordinate, 32 to a word.
//
// Sixteen points lie side by side, so that a vector has the same coordinates of all of them:
//
//   word w of point i   is   words[(i / beside * width + w) * beside + i % beside],   w < width.

#include <algorithm>
#include <memory>
#include <vector>

#include "../points.hpp"
#include "../simd.hpp"

namespace wm {

class BitPoints {
 public:
  using Word = std::uint32_t;
  static constexpr std::size_t beside = 16;

  /// Nothing if some coordinate is neither 0 nor 1, if bits would take much room, or if walking along nonzeros is
  /// cheaper than counting in all words.
  static std::shared_ptr<const BitPoints> of(const Points& points) {
    return std::visit(
        [](const auto& p) -> std::shared_ptr<const BitPoints> {
          if (p.count == 0 || p.dimension == 0 || p.dimension > most_exact || !few_words(p)) return nullptr;
          if (double(p.count) * words_of(p.dimension) > most_words) return nullptr;
          BitPoints first(1, p.dimension);  // most points that are not made of bits say so at once
          if (!first.write(p[0], first.place(0))) return nullptr;
          auto written = std::make_shared<BitPoints>(p.count, p.dimension);
          for (Index i = 0; i < p.count; ++i)
            if (!written->write(p[i], written->place(i))) return nullptr;
          return written;
        },
        points);
  }

  BitPoints(Index count, Index dimension)
      : width_(words_of(dimension)), words_((count + beside - 1) / beside * beside * width_) {}

  /// Words of a point.
  std::size_t width() const { return width_; }

  /// Those in `which`, side by side as all of them lie, in `room` if they do not lie so already.
  const Word* side_by_side(std::span<const Index> which, Word* room) const {
    if (which[0] % beside == 0 && consecutive(which)) return words_.data() + offset(which[0]);
    for (std::size_t a = 0; a < which.size(); ++a) copy(which[a], room + offset(a), beside);
    return room;
  }

  /// Those in `which`, one after the other.
  void one_by_one(std::span<const Index> which, Word* room) const {
    for (std::size_t a = 0; a < which.size(); ++a) copy(which[a], room + a * width_, 1);
  }

 private:
  static constexpr Index bits = 32;
  static constexpr double most_words = 1 << 24;  // 64 megabytes
  static constexpr Index most_exact = 1 << 24;   // up to here whole numbers are exact in single precision

  static std::size_t words_of(Index dimension) { return (std::size_t(dimension) + bits - 1) / bits; }

  /// Dense points take 8 to 64 times the room of their bits, and a multiplication for each coordinate.
  template <class T>
  static bool few_words(const DensePoints<T>&) {
    return true;
  }

  /// Sparse points take 12 bytes for each value, or 8. To walk along one costs about as much as these words.
  template <class T>
  static bool few_words(const SparsePoints<T>& points) {
    const double words_per_value = simd::vectors_count_ones() ? 2.0 : 0.75;
    return double(words_of(points.dimension)) * points.count <=
           words_per_value * double(points.start(points.count) - points.start(0));
  }

  std::size_t offset(std::size_t i) const { return i / beside * beside * width_ + i % beside; }
  Word* place(Index i) { return words_.data() + offset(i); }

  void copy(Index i, Word* to, std::size_t stride) const {
    const Word* const from = words_.data() + offset(i);
    for (std::size_t w = 0; w < width_; ++w) to[w * stride] = from[w * beside];
  }

  /// False if the point has a coordinate that is neither 0 nor 1.
  template <class T>
  static bool write(DensePoint<T> from, Word* to) {
    Word others = 0;
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (Index first = 0; first < from.size; first += bits, to += beside) {
        const T* const values = from.values + first;
        const Index size = from.size - first < bits ? from.size - first : bits;
        Word word = 0;
#pragma omp simd reduction(| : word, others)
        for (Index j = 0; j < size; ++j) {
          const Word one = values[j] == T(1);
          word |= one << j;
          others |= one ^ Word(values[j] != T(0));
        }
        *to = word;
      }
    });
    return !others;
  }

  template <class T>
  static bool write(SparsePoint<T> from, Word* to) {
    for (Index k = 0; k < from.size; ++k) {
      if (from.values[k] == T(0)) continue;
      if (from.values[k] != T(1)) return false;
      to[from.coordinates[k] / bits * beside] |= Word(1) << from.coordinates[k] % bits;
    }
    return true;
  }

  std::size_t width_;
  std::vector<Word> words_;
};

}  // namespace wm
