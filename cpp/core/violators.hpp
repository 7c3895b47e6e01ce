#pragma once
// Which of many violators go into a working set.

#include <algorithm>
#include <vector>

#include "types.hpp"

namespace wm {

/// Keeps `share` of those found: the worst, and as many from all over the data. Neighbours violate together and one of
/// them may settle all, so that the worst alone would say the same many times.
template <class Worse>
void spread(std::vector<Index>& found, std::size_t share, Worse worse) {
  if (found.size() <= share) return;
  const std::size_t worst = (share + 1) / 2, others = share - worst;
  std::nth_element(found.begin(), found.begin() + worst, found.end(), worse);
  std::sort(found.begin() + worst, found.end());
  for (std::size_t m = 0; m < others; ++m) found[worst + m] = found[worst + m * (found.size() - worst) / others];
  found.resize(share);
}

}  // namespace wm
