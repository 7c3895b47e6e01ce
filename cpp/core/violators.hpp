#pragma once
// Which of many violators go into a working set.

#include <algorithm>
#include <functional>
#include <vector>

#include "types.hpp"

namespace wm {

/// Keeps `share` of those found, which are in ascending order: the worst, those of the largest `badness`, and as many
/// from all over the data. Neighbours violate together and one of them may settle all, so that the worst alone would
/// say the same many times.
template <class Badness>
void spread(std::vector<Index>& found, std::size_t share, Badness badness) {
  if (found.size() <= share) return;
  const std::size_t worst = (share + 1) / 2, others = share - worst;
  std::vector<double> values(found.size());
  std::transform(found.begin(), found.end(), values.begin(), badness);
  std::nth_element(values.begin(), values.begin() + worst - 1, values.end(), std::greater<>());
  const double least = values[worst - 1];
  std::size_t as_bad =
      worst - std::count_if(values.begin(), values.begin() + worst, [&](double v) { return v > least; });
  std::vector<Index> kept(found.size()), rest(found.size());
  std::size_t bad = 0, good = 0;
  for (Index k : found) {
    const double value = badness(k);
    const bool is_worst = (value > least) | ((value == least) & (as_bad > 0));
    as_bad -= is_worst & (value == least);
    kept[bad] = rest[good] = k;
    bad += is_worst;
    good += !is_worst;
  }
  for (std::size_t m = 0; m < others; ++m) kept[bad++] = rest[m * good / others];
  kept.resize(bad);
  found = std::move(kept);
}

}  // namespace wm
