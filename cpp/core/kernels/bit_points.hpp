#pragma once
// Points whose coordinates are all 0 or 1, a bit for each coordinate, 32 to a word.

#include <memory>

#include "../simd.hpp"
#include "word_points.hpp"

namespace wm {

class BitPoints : public WordPoints {
 public:
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

  BitPoints(Index count, Index dimension) : WordPoints(count, words_of(dimension)) {}

 private:
  static constexpr Index bits = 32;
  static constexpr Index most_exact = 1 << 24;  // up to here whole numbers are exact in single precision

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
};

}  // namespace wm
