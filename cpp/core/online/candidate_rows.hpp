#pragma once
// Kernel rows among the candidates, by slot, kept within a byte budget; least recently used first to go.
//
// A row that is kept stays complete: a candidate that comes brings its entry for every row. So nothing is computed
// again from one example of the stream, or one call, to the next.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../types.hpp"

namespace wm::online {

class CandidateRows {
 public:
  Index size() const { return static_cast<Index>(rows_.size()); }
  bool has(Index s) const { return !rows_[s].empty(); }

  /// The bytes that rows may take; three are always kept, for a pair and its successor.
  void set_budget(std::size_t bytes) {
    budget_ = bytes;
    make_room(0);
  }

  /// The row of s, which must be there; valid during the next two admissions.
  const float* use(Index s) {
    used_[s] = ++clock_;
    return rows_[s].data();
  }

  /// A candidate at slot s, a vacant one or one more, whose kernels with all slots are `row`.
  void insert(Index s, std::span<const float> row) {
    if (s == size()) {
      grow(s + 1);
      rows_.emplace_back();
      used_.push_back(0);
    }
    for (Index r = 0; r < size(); ++r)
      if (has(r)) rows_[r][s] = row[r];
    std::copy(row.begin(), row.end(), admit(s));
  }

  void leave(Index s) {
    if (has(s)) --kept_;
    rows_[s] = {};
  }

  /// The last slot takes the place of a vacant one.
  void remove(Index s) {
    const Index last = size() - 1;
    rows_[s] = std::move(rows_[last]);
    used_[s] = used_[last];
    rows_.pop_back();
    used_.pop_back();
    for (Index r = 0; r < last; ++r)
      if (has(r)) rows_[r][s] = rows_[r][last];
  }

  /// Room for the row of s, to be filled in.
  float* admit(Index s) {
    make_room(1);
    rows_[s].resize(capacity_);
    ++kept_;
    used_[s] = ++clock_;
    return rows_[s].data();
  }

  /// As many candidates, none with a row.
  void reset(Index size) {
    rows_.assign(size, {});
    used_.assign(size, 0);
    kept_ = 0;
    capacity_ = size;
  }

  std::size_t bytes() const { return kept_ * capacity_ * sizeof(float); }

  /// What is kept, to be written down and read again: the slots that have a row, when they were used, and the rows.
  struct Packed {
    std::vector<Index> slots;
    std::vector<std::int64_t> used;
    std::vector<float> values;
    Index capacity = 0;
  };

  Packed packed() const {
    Packed p{{}, {}, {}, capacity_};
    for (Index s = 0; s < size(); ++s)
      if (has(s)) {
        p.slots.push_back(s);
        p.used.push_back(used_[s]);
        p.values.insert(p.values.end(), rows_[s].begin(), rows_[s].begin() + size());
      }
    return p;
  }

  void unpack(const Packed& p, Index size) {
    reset(size);
    capacity_ = p.capacity;
    for (std::size_t r = 0; r < p.slots.size(); ++r) {
      const Index s = p.slots[r];
      rows_[s].resize(capacity_);
      std::copy_n(p.values.begin() + r * size, size, rows_[s].begin());
      used_[s] = p.used[r];
      clock_ = std::max(clock_, used_[s]);
      ++kept_;
    }
  }

 private:
  static constexpr std::size_t least = 3;

  /// All rows have room for as many candidates, and some more when they grow.
  void grow(Index size) {
    if (size <= capacity_) return;
    capacity_ = std::max<Index>(size, capacity_ + capacity_ / 4 + 16);
    make_room(0);
    for (auto& row : rows_)
      if (!row.empty()) {
        row.reserve(capacity_);  // no more than that
        row.resize(capacity_);
      }
  }

  void make_room(std::size_t more) {
    const std::size_t room = std::max(least, budget_ / (std::max<std::size_t>(capacity_, 1) * sizeof(float)));
    while (kept_ > 0 && kept_ + more > room) {
      Index oldest = -1;
      for (Index s = 0; s < size(); ++s)
        if (has(s) && (oldest < 0 || used_[s] < used_[oldest])) oldest = s;
      rows_[oldest] = {};
      --kept_;
    }
  }

  std::vector<std::vector<float>> rows_;
  std::vector<std::int64_t> used_;
  std::size_t budget_ = 0, kept_ = 0;
  std::int64_t clock_ = 0;
  Index capacity_ = 0;
};

}  // namespace wm::online
