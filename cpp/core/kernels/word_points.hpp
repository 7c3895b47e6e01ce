#pragma once
// Points written out as words of 32 bits, each with some coordinates, for sums that are whole numbers.
//
// Sixteen points lie side by side, so that a vector has the same coordinates of all of them:
//
//   word w of point i   is   words[(i / beside * width + w) * beside + i % beside],   w < width.

#include <cstdint>
#include <vector>

#include "../points.hpp"

namespace wm {

class WordPoints {
 public:
  using Word = std::uint32_t;
  static constexpr std::size_t beside = 16;

  WordPoints(Index count, std::size_t width) : width_(width), words_((count + beside - 1) / beside * beside * width_) {}

  /// Words of a point.
  std::size_t width() const { return width_; }

  /// Those in `which`, side by side as all of them lie, in `room` if they do not lie so already.
  const Word* side_by_side(std::span<const Index> which, Word* room) const {
    if (which[0] % beside == 0 && consecutive(which)) return words_.data() + offset(which[0]);
    for (std::size_t a = 0; a < which.size(); ++a) copy(which[a], room + offset(a), beside);
    return room;
  }

  /// Those in `which`, one after the other, with some bits of each word flipped.
  void one_by_one(std::span<const Index> which, Word flipped, Word* room) const {
    for (std::size_t a = 0; a < which.size(); ++a) copy(which[a], room + a * width_, 1, flipped);
  }

 protected:
  static constexpr double most_words = 1 << 24;  // 64 megabytes

  Word* place(Index i) { return words_.data() + offset(i); }

 private:
  std::size_t offset(std::size_t i) const { return i / beside * beside * width_ + i % beside; }

  void copy(Index i, Word* to, std::size_t stride, Word flipped = 0) const {
    const Word* const from = words_.data() + offset(i);
    for (std::size_t w = 0; w < width_; ++w) to[w * stride] = from[w * beside] ^ flipped;
  }

  std::size_t width_;
  std::vector<Word> words_;
};

}  // namespace wm
