#pragma once
// Kernels of the next examples of a stream with the candidates and with each other, in one block: many at a time cost
// a fraction of what they cost one by one, and every example needs all of its.

#include <algorithm>
#include <vector>

#include "../counters.hpp"
#include "../gram.hpp"

namespace wm::online {

class Lookahead {
 public:
  /// How many examples to look at: to write the candidates out for a block pays if it is not for a few.
  static std::size_t examples(Index candidates) { return std::clamp<std::size_t>(candidates / 32, 32, 256); }

  explicit Lookahead(const Gram& gram) : gram_(gram), row_(gram.rows(), -1), column_(gram.rows(), -1) {}

  /// Looks at these points, which are no candidates yet.
  void look(std::vector<Index> points, const std::vector<Index>& candidates, Counters& counters) {
    for (const Index p : rows_) row_[p] = -1;
    rows_ = std::move(points);
    columns_ = candidates;
    columns_.insert(columns_.end(), rows_.begin(), rows_.end());
    entries_.resize(rows_.size() * columns_.size());
    gram_.block(rows_, columns_, entries_.data());
    for (std::size_t r = 0; r < rows_.size(); ++r) row_[rows_[r]] = static_cast<Index>(r);
    for (std::size_t c = 0; c < columns_.size(); ++c) column_[columns_[c]] = static_cast<Index>(c);
    counters.kernel_evaluations += static_cast<std::int64_t>(entries_.size());
  }

  bool knows(Index point) const { return row_[point] >= 0; }

  /// out[s] = k(point, candidates[s]), candidates that have come since being among the points looked at.
  void row(Index point, const std::vector<Index>& candidates, float* out) const {
    const float* const entries = entries_.data() + static_cast<std::size_t>(row_[point]) * columns_.size();
    const std::size_t then = std::min(candidates.size(), columns_.size());
    std::copy_n(entries, then, out);
    for (std::size_t begin = 0; begin < candidates.size(); begin += stretch) {
      const std::size_t end = std::min(begin + stretch, candidates.size());
      if (end <= then && std::equal(&columns_[begin], &columns_[begin] + (end - begin), &candidates[begin]))
        continue;  // most are where they were
      for (std::size_t s = begin; s < end; ++s) out[s] = entries[column_[candidates[s]]];
    }
  }

 private:
  static constexpr std::size_t stretch = 64;

  const Gram& gram_;
  std::vector<Index> row_, column_;  // by point
  std::vector<Index> rows_, columns_;
  std::vector<float> entries_;
};

}  // namespace wm::online
