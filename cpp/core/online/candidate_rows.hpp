#pragma once
// Kernel rows among the candidates, by slot, kept within a byte budget; least recently used first to go.
//
// A row that is kept stays complete: a candidate that comes brings its entry for every row. So nothing is computed
// again from one example of the stream, or one call, to the next. Rows lie far apart, the entries of those that come
// one after the other mostly side by side; so a few of them wait, and are written when their row is used, or all
// together.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../types.hpp"

namespace wm::online {

class CandidateRows {
 public:
  Index size() const { return static_cast<Index>(rows_.size()); }
  bool has(Index s) const { return rows_[s] != nullptr; }

  /// By slot, what to multiply the gain of a step with: one whose row must be computed first has to promise twice as
  /// much as one whose row is here.
  const double* favour() const { return favour_.data(); }

  /// The bytes that rows may take (three are always kept, for a pair and its successor), and the number of slots there
  /// may be. A row is made long enough for all of them at once: memory that is not written to is not used, and places
  /// of one length leave no gaps when they are given back.
  void set_limits(std::size_t bytes, Index slots) {
    budget_ = bytes;
    if (slots > capacity_) {
      capacity_ = slots;
      for (auto& row : rows_)
        if (row) {
          auto longer = std::make_unique_for_overwrite<float[]>(capacity_);
          std::copy_n(row.get(), size(), longer.get());
          row = std::move(longer);
        }
    }
    make_room(0);
  }

  /// The row of s, which must be there; valid during the next two admissions.
  const float* use(Index s) {
    complete(s);
    used_[s] = ++clock_;
    return rows_[s].get();
  }

  /// The row of s may go before any other.
  void demote(Index s) { used_[s] = 0; }

  /// A candidate at slot s, a vacant one or one more, whose kernels with all slots are `row`.
  void insert(Index s, std::span<const float> row) {
    if (s == size()) {
      rows_.emplace_back();
      used_.push_back(0);
      favour_.push_back(dear);
      written_.push_back(0);
    }
    waiting_.push_back({s, {row.begin(), row.end()}});
    std::copy(row.begin(), row.end(), admit(s));
    if (waiting_.size() == most_waiting) complete_all();
  }

  /// Nobody waits any more.
  void complete_all() {
    for (const Index r : kept_) complete(r);
    waiting_.clear();
    std::fill(written_.begin(), written_.end(), 0);
  }

  void leave(Index s) {
    if (has(s)) std::erase(kept_, s);
    rows_[s].reset();
    favour_[s] = dear;
  }

  /// The last slot takes the place of a vacant one; nobody may be waiting.
  void remove(Index s) {
    const Index last = size() - 1;
    std::swap(rows_[s], rows_[last]);
    std::replace(kept_.begin(), kept_.end(), last, s);
    used_[s] = used_[last];
    favour_[s] = favour_[last];
    rows_.pop_back();
    used_.pop_back();
    favour_.pop_back();
    written_.pop_back();
    for (const Index r : kept_) rows_[r][s] = rows_[r][last];
  }

  /// Room for the row of s, to be filled in.
  float* admit(Index s) {
    make_room(1);
    rows_[s] = std::make_unique_for_overwrite<float[]>(capacity_);
    kept_.push_back(s);
    used_[s] = ++clock_;
    favour_[s] = 1.0;
    written_[s] = waiting_.size();
    return rows_[s].get();
  }

  /// As many candidates, none with a row.
  void reset(Index size) {
    rows_.clear();
    rows_.resize(size);
    used_.assign(size, 0);
    favour_.assign(size, dear);
    written_.assign(size, 0);
    waiting_.clear();
    kept_.clear();
    capacity_ = size;
  }

  std::size_t bytes() const { return kept_.size() * size() * sizeof(float); }

  /// What is kept, to be written down and read again: the slots that have a row, when they were used, and the rows.
  struct Packed {
    std::vector<Index> slots;
    std::vector<std::int64_t> used;
    std::vector<float> values;
  };

  Packed packed() const {
    Packed p;
    for (Index s = 0; s < size(); ++s)
      if (has(s)) {
        p.slots.push_back(s);
        p.used.push_back(used_[s]);
        p.values.insert(p.values.end(), rows_[s].get(), rows_[s].get() + size());
      }
    return p;
  }

  void unpack(const Packed& p, Index size) {
    reset(size);
    for (std::size_t r = 0; r < p.slots.size(); ++r) {
      const Index s = p.slots[r];
      rows_[s] = std::make_unique_for_overwrite<float[]>(capacity_);
      std::copy_n(p.values.begin() + r * size, size, rows_[s].get());
      used_[s] = p.used[r];
      favour_[s] = 1.0;
      clock_ = std::max(clock_, used_[s]);
      kept_.push_back(s);
    }
  }

 private:
  static constexpr std::size_t least = 3;
  static constexpr double dear = 0.5;
  static constexpr std::size_t most_waiting = 64;

  struct Newcomer {
    Index slot;
    std::vector<float> row;
  };

  /// Writes the entries of those who wait into the row of s.
  void complete(Index s) {
    for (std::size_t k = written_[s]; k < waiting_.size(); ++k) rows_[s][waiting_[k].slot] = waiting_[k].row[s];
    written_[s] = waiting_.size();
  }

  void make_room(std::size_t more) {
    const std::size_t room = std::max(least, budget_ / (std::max<std::size_t>(rows_.size(), 1) * sizeof(float)));
    while (!kept_.empty() && kept_.size() + more > room)
      leave(std::ranges::min(kept_, {}, [&](Index s) { return std::pair(used_[s], s); }));
  }

  std::vector<std::unique_ptr<float[]>> rows_;
  std::vector<std::int64_t> used_;
  std::vector<double> favour_;
  std::vector<Newcomer> waiting_;
  std::vector<std::size_t> written_;  // how many of those who wait are in the row of a slot
  std::vector<Index> kept_;           // the slots that have a row
  std::size_t budget_ = 0;
  std::int64_t clock_ = 0;
  Index capacity_ = 0;
};

}  // namespace wm::online
