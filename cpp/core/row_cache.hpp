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
#include "lease.hpp"
#include "parallel.hpp"
#include "sweeps.hpp"

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
      Real* const values = admit(slot);
      compute({&slot, 1}, {&values, 1}, *columns_, 1);
      return values;
    }
    recent_.splice(recent_.begin(), recent_, entry.place);
    return entry.values.get();
  }

  /// Brings the rows `wanted` up to date, the missing ones computed in blocks, as far as the budget allows: returns how
  /// many of the first ones are there now. They stay until the next call.
  std::size_t fetch(std::span<const Index> wanted, int threads) {
    const std::size_t length = columns_->size(), bytes = length * sizeof(Real);
    wanted = wanted.first(std::min(wanted.size(), budget_ / std::max<std::size_t>(1, bytes)));
    std::vector<Index> missing;
    for (Index slot : wanted) {
      if (entries_[slot].columns)
        recent_.splice(recent_.begin(), recent_, entries_[slot].place);  // not to be evicted for one of the others
      else
        missing.push_back(slot);
    }
    std::vector<Real*> rows;
    for (Index slot : missing) {
      ++counters_.cache_misses;
      rows.push_back(admit(slot));
    }
    compute(missing, rows, *columns_, threads);
    for (Index slot : wanted) row(slot);
    return wanted.size();
  }

  /// out[c] += sum_r weights[r] K[rows[r], c] over the current columns; rows beyond the budget are not kept.
  void accumulate(std::span<const Index> rows, const double* weights, double* out, int threads) {
    const std::size_t kept = fetch(rows, threads);
    std::vector<const Real*> values;
    for (std::size_t r = 0; r < kept; ++r) values.push_back(entries_[rows[r]].values.get());
    const auto rest = rows.subspan(kept);
    in_parts(static_cast<Index>(columns_->size()), threads, [&](Index begin, Index end) {
      sweep::accumulate(values, weights, out, begin, end);
      Lease<Real> block(rows_at_once * (end - begin));
      for (std::size_t first = 0; first < rest.size(); first += rows_at_once) {
        const auto some = rest.subspan(first, std::min(rows_at_once, rest.size() - first));
        entries(some, std::span(*columns_).subspan(begin, end - begin), block.data());
        std::vector<const Real*> here;
        for (std::size_t r = 0; r < some.size(); ++r) here.push_back(block.data() + r * (end - begin) - begin);
        sweep::accumulate(here, weights + kept + first, out, begin, end);
      }
    });
    counters_.kernel_evaluations += static_cast<std::int64_t>(rest.size() * columns_->size());
  }

  /// out = K[rows, columns of the cache at `positions`], from cached rows where there are any.
  void block(std::span<const Index> rows, std::span<const Index> positions, Real* out, int threads) {
    std::vector<Index> slots, missing;
    std::vector<Real*> places;
    for (Index c : positions) slots.push_back((*columns_)[c]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Real* const place = out + r * positions.size();
      if (contains(rows[r])) {
        const Real* const values = entries_[rows[r]].values.get();
        for (std::size_t c = 0; c < positions.size(); ++c) place[c] = values[positions[c]];
      } else {
        missing.push_back(rows[r]);
        places.push_back(place);
      }
    }
    compute(missing, places, slots, threads);
  }

 private:
  static constexpr int kept = 3;

  struct Entry {
    std::unique_ptr<Real[]> values;
    Columns columns;  // null: not cached
    std::list<Index>::iterator place;
  };

  /// Room for the row of `slot` over the current columns, to be filled in.
  Real* admit(Index slot) {
    const std::size_t length = columns_->size();
    make_room(length * sizeof(Real), slot);
    Entry& entry = entries_[slot];
    entry.values = std::make_unique_for_overwrite<Real[]>(length);
    account(static_cast<std::ptrdiff_t>(length * sizeof(Real)));
    entry.columns = columns_;
    recent_.push_front(slot);
    entry.place = recent_.begin();
    return entry.values.get();
  }

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
      Real* const place = computed.data();
      compute({&slot, 1}, {&place, 1}, missing, 1);
      for (std::size_t k = 0; k < missing.size(); ++k) values[missing_at[k]] = computed[k];
    }
    account((static_cast<std::ptrdiff_t>(to->size()) - static_cast<std::ptrdiff_t>(from->size())) *
            static_cast<std::ptrdiff_t>(sizeof(Real)));
    entry.values = std::move(values);
    entry.columns = columns_;
  }

  static constexpr std::size_t rows_at_once = 128;
  static constexpr Index columns_at_once = 1024;  // a block of so many rows and columns stays in a near cache

  /// Calls body(begin, end) on parts of [0, columns), in several threads.
  template <class Body>
  static void in_parts(Index columns, int threads, Body body) {
    parallel_for(columns, threads, [&](Index begin, Index end) {
      for (Index first = begin; first < end; first += columns_at_once)
        body(first, std::min(end, first + columns_at_once));
    });
  }

  /// places[r][c] = K[rows[r], columns[c]].
  void compute(std::span<const Index> rows, std::span<Real* const> places, std::span<const Index> columns,
               int threads) {
    if (rows.size() == 1) {
      entries(rows, columns, places[0]);
    } else {
      in_parts(static_cast<Index>(columns.size()), threads, [&](Index begin, Index end) {
        Lease<Real> block(rows_at_once * (end - begin));
        for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
          const auto some = rows.subspan(first, std::min(rows_at_once, rows.size() - first));
          entries(some, columns.subspan(begin, end - begin), block.data());
          for (std::size_t r = 0; r < some.size(); ++r)
            std::copy_n(block.data() + r * (end - begin), end - begin, places[first + r] + begin);
        }
      });
    }
    counters_.kernel_evaluations += static_cast<std::int64_t>(rows.size() * columns.size());
  }

  /// out = K[rows, columns]; rows and columns of grounded slots are zero.
  void entries(std::span<const Index> rows, std::span<const Index> columns, Real* out) const {
    std::vector<Index> row_points, column_points;
    for (Index slot : rows)
      if (slots_.point[slot] >= 0) row_points.push_back(slots_.point[slot]);
    for (Index slot : columns)
      if (slots_.point[slot] >= 0) column_points.push_back(slots_.point[slot]);
    gram_.block(row_points, column_points, out);
    if (row_points.size() == rows.size() && column_points.size() == columns.size()) return;
    std::size_t source = row_points.size() * column_points.size();
    for (std::size_t r = rows.size(); r-- > 0;)
      for (std::size_t c = columns.size(); c-- > 0;) {
        const bool grounded = slots_.point[rows[r]] < 0 || slots_.point[columns[c]] < 0;
        out[r * columns.size() + c] = grounded ? Real(0) : out[--source];
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
};

}  // namespace wm
