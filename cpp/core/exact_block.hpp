#pragma once
// The square block of a kernel matrix among some points, in double precision.

#include <algorithm>
#include <span>
#include <vector>

#include "gram_product.hpp"
#include "square_matrix.hpp"

namespace wm {

/// Q_ab = k(point a, point b), zero where one of them is grounded; false if `must_stop()` said so.
template <class MustStop>
bool exact_block(const Gram& gram, std::span<const Index> points, SquareMatrix& Q, MustStop must_stop) {
  constexpr std::size_t few_rows = 128;  // are still at hand when they are copied
  std::vector<Index> real, place;
  for (std::size_t a = 0; a < points.size(); ++a)
    if (points[a] >= 0) {
      real.push_back(points[a]);
      place.push_back(static_cast<Index>(a));
    }
  const std::size_t at_once = std::min(few_rows, rows_between_questions(gram, real.size()));
  std::vector<double> rows(std::min(at_once, real.size()) * real.size());
  for (std::size_t first = 0; first < real.size(); first += at_once) {
    const auto some = std::span(real).subspan(first, std::min(at_once, real.size() - first));
    gram.block(some, real, rows.data());
    for (std::size_t a = 0; a < some.size(); ++a)
      for (std::size_t b = 0; b < real.size(); ++b) Q(place[first + a], place[b]) = rows[a * real.size() + b];
    if (must_stop()) return false;
  }
  return true;
}

}  // namespace wm
