#pragma once
// Kernel rows kept by a byte budget, least recently used first to go.
//
// A row is stored for the columns that were wanted when it was computed. When the wanted columns change (variables are
// set aside or come back), a row is brought up to date on its next use: entries it has are moved, only missing ones
// are computed. The three rows used last are never evicted, so a pair and its successor always find theirs.

#include <algorithm>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "gram.hpp"

namespace wm {

/// Distinct rows of the Gram, numbered in the order in which the variables first name them.
struct Slots {
  std::vector<Index> point;        // slot -> row of the Gram; -1: grounded
  std::vector<Index> of_variable;  // variable -> slot
  Index size() const { return static_cast<Index>(point.size()); }
};

using Columns = std::shared_ptr<const std::vector<Index>>;  // ascending slots

template <class Real>
class RowCache {
 public:
  RowCache(const Gram& gram, const Slots& slots, std::size_t budget_bytes, Counters& counters)
      : gram_(gram), slots_(slots), budget_(budget_bytes), counters_(counters), entries_(slots.size()) {}

  void set_columns(Columns columns) { columns_ = std::move(columns); }

  bool contains(Index slot) const { return entries_[slot].columns == columns_; }

  /// The row of `slot` over the current columns; valid during the next two calls.
  const Real* row(Index slot) {
    Entry& entry = entries_[slot];
    if (entry.columns == columns_) {
      ++counters_.cache_hits;
    } else if (entry.columns) {
      reindex(slot);
    } else {
      ++counters_.cache_misses;
      const std::size_t length = columns_->size();
      make_room(length * sizeof(Real), slot);
      entry.values = std::make_unique_for_overwrite<Real[]>(length);
      account(static_cast<std::ptrdiff_t>(length * sizeof(Real)));
      compute(slot, *columns_, entry.values.get());
      entry.columns = columns_;
      recent_.push_front(slot);
      entry.place = recent_.begin();
      return entry.values.get();
    }
    recent_.splice(recent_.begin(), recent_, entry.place);
    return entry.values.get();
  }

  /// Computes the rows among `wanted` that are not cached, in one call to the Gram: for Grams that like blocks.
  void prefetch(std::span<const Index> wanted) {
    std::vector<Index> missing;
    for (Index slot : wanted)
      if (!entries_[slot].columns && slots_.point[slot] >= 0) missing.push_back(slot);
    const std::size_t length = columns_->size();
    const std::size_t affordable = budget_ / (2 * std::max<std::size_t>(1, length * sizeof(Real)));
    if (missing.size() > affordable) missing.resize(affordable);
    if (missing.size() < 2) return;
    std::vector<Real> block(missing.size() * length);
    compute_block(missing, *columns_, block.data());
    for (std::size_t r = 0; r < missing.size(); ++r) {
      ++counters_.cache_misses;
      make_room(length * sizeof(Real), missing[r]);
      Entry& entry = entries_[missing[r]];
      entry.values = std::make_unique_for_overwrite<Real[]>(length);
      account(static_cast<std::ptrdiff_t>(length * sizeof(Real)));
      std::copy_n(block.data() + r * length, length, entry.values.get());
      entry.columns = columns_;
      recent_.push_front(missing[r]);
      entry.place = recent_.begin();
    }
  }

 private:
  static constexpr int kept = 3;

  struct Entry {
    std::unique_ptr<Real[]> values;
    Columns columns;  // null: not cached
    std::list<Index>::iterator place;
  };

  void account(std::ptrdiff_t bytes) {
    used_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(used_) + bytes);
    counters_.peak_cache_bytes = std::max(counters_.peak_cache_bytes, static_cast<std::int64_t>(used_));
  }

  void evict(Index slot) {
    Entry& entry = entries_[slot];
    account(-static_cast<std::ptrdiff_t>(entry.columns->size() * sizeof(Real)));
    recent_.erase(entry.place);
    entry = Entry{};
  }

  void make_room(std::size_t bytes, Index except) {
    while (used_ + bytes > budget_ && recent_.size() >= kept) {
      auto victim = std::prev(recent_.end());
      if (*victim == except) --victim;
      evict(*victim);
    }
  }

  /// Where the entries of a row over the columns `from` are found when it is brought to the columns `to`.
  struct Transfer {
    Columns from, to;
    std::vector<Index> source;               // by position in `to`: position in `from`, 0 for missing ones
    std::vector<Index> missing, missing_at;  // slots that `from` lacks and their positions in `to`

    void prepare(const Columns& old_columns, const Columns& new_columns) {
      if (from == old_columns && to == new_columns) return;
      *this = {old_columns, new_columns, {}, {}, {}};
      source.assign(to->size(), 0);
      for (std::size_t s = 0, t = 0; t < to->size(); ++t) {
        while (s < from->size() && (*from)[s] < (*to)[t]) ++s;
        if (s < from->size() && (*from)[s] == (*to)[t]) {
          source[t] = static_cast<Index>(s);
        } else {
          missing.push_back((*to)[t]);
          missing_at.push_back(static_cast<Index>(t));
        }
      }
    }
  };

  void reindex(Index slot) {
    Entry& entry = entries_[slot];
    transfer_.prepare(entry.columns, columns_);  // mostly as for the row before: the columns of all change together
    const auto& [from, to, source, missing, missing_at] = transfer_;
    auto values = std::make_unique_for_overwrite<Real[]>(to->size());
    for (std::size_t t = 0; t < to->size(); ++t) values[t] = entry.values[source[t]];
    if (missing.empty()) {
      ++counters_.cache_hits;
    } else {
      ++counters_.cache_misses;
      if (to->size() > from->size()) make_room((to->size() - from->size()) * sizeof(Real), slot);
      std::vector<Real> computed(missing.size());
      compute(slot, missing, computed.data());
      for (std::size_t k = 0; k < missing.size(); ++k) values[missing_at[k]] = computed[k];
    }
    account((static_cast<std::ptrdiff_t>(to->size()) - static_cast<std::ptrdiff_t>(from->size())) *
            static_cast<std::ptrdiff_t>(sizeof(Real)));
    entry.values = std::move(values);
    entry.columns = columns_;
  }

  void compute(Index slot, const std::vector<Index>& columns, Real* out) {
    if (slots_.point[slot] < 0) {
      std::fill_n(out, columns.size(), Real(0));
    } else {
      compute_block({&slot, 1}, columns, out);
    }
  }

  void compute_block(std::span<const Index> rows, const std::vector<Index>& columns, Real* out) {
    row_points_.clear();
    for (Index slot : rows) row_points_.push_back(slots_.point[slot]);
    column_points_.clear();
    for (Index slot : columns)
      if (slots_.point[slot] >= 0) column_points_.push_back(slots_.point[slot]);
    const std::size_t known = column_points_.size();
    gram_.block(row_points_, column_points_, out);
    counters_.kernel_evaluations += static_cast<std::int64_t>(rows.size() * known);
    if (known < columns.size()) ground(columns, rows.size(), known, out);
  }

  /// Spreads a block computed without its grounded columns, which are zero.
  void ground(const std::vector<Index>& columns, std::size_t rows, std::size_t known, Real* out) {
    for (std::size_t r = rows; r-- > 0;) {
      std::size_t source = r * known + known;
      for (std::size_t c = columns.size(); c-- > 0;)
        out[r * columns.size() + c] = slots_.point[columns[c]] < 0 ? Real(0) : out[--source];
    }
  }

  const Gram& gram_;
  const Slots& slots_;
  std::size_t budget_;
  Counters& counters_;
  std::vector<Entry> entries_;
  std::list<Index> recent_;  // most recent first
  std::size_t used_ = 0;
  Columns columns_;
  Transfer transfer_;
  std::vector<Index> row_points_, column_points_;
};

}  // namespace wm
