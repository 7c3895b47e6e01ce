#pragma once
// Kernel rows kept by a byte budget, least recently used first to go.
//
// A row is stored for the columns that were wanted when it was computed. When the wanted columns change (variables are
// set aside or come back), a row is brought up to date on its next use: entries it has are moved, only missing ones
// are computed. The three rows used last are never evicted, so a pair and its successor always find theirs.

#include <algorithm>
#include <list>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "gram_product.hpp"
#include "shelf.hpp"
#include "slots.hpp"

namespace wm {

using Columns = std::shared_ptr<const std::vector<Index>>;  // ascending slots

template <class Real>
class RowCache {
 public:
  RowCache(const Gram& gram, const Slots& slots, std::size_t budget_bytes, Counters& counters)
      : gram_(gram),
        slots_(slots),
        budget_(budget_bytes),
        counters_(counters),
        shelf_(slots.size()),
        entries_(slots.size()) {}

  void set_columns(Columns columns) {
    columns_ = std::move(columns);
    points_ = slots_.points(*columns_, point_room_);
    lie_ready_ = gram_row(0) && static_cast<Index>(columns_->size()) == gram_.columns();
    for (Index c = 0; lie_ready_ && c < gram_.columns(); ++c) lie_ready_ = slots_.point((*columns_)[c]) == c;
  }

  std::size_t columns() const { return columns_->size(); }

  /// Whether rows are read where they lie in memory: over fewer columns they would have to be copied.
  bool lie_ready() const { return lie_ready_; }

  /// Gives up some of the budget to others, for good.
  void lend(std::size_t bytes) {
    lent_ += bytes;
    while (used_ + bytes > budget_ && recent_.size() >= kept) evict(recent_.back());
    account(static_cast<std::ptrdiff_t>(bytes));
  }

  /// Of a row that may not be needed again: memory that was in use is nearer than such that never was, unless rows
  /// are dear.
  void forget(Index slot) {
    if (find(slot) && !rows_are_dear()) evict(slot);
  }

  bool contains(Index slot) const {
    if (lie_ready_) return true;
    const Entry* const entry = find(slot);
    return entry && entry->columns == columns_;
  }

  /// The row of `slot` over the current columns; valid during the next two calls.
  const Real* row(Index slot) {
    if (lie_ready_) {
      ++counters_.cache_hits;
      return gram_row(slots_.point(slot));
    }
    if (const Entry* old = find(slot); old && old->columns != columns_ && gram_.stored(arithmetic_of<Real>))
      evict(slot);  // to read it again is as good
    Entry* const entry = find(slot);
    if (!entry) {
      ++counters_.cache_misses;
      Real* const values = admit(slot);
      compute({&slot, 1}, {&values, 1}, *columns_, 1);
      return values;
    }
    touch(*entry);
    if (entry->columns == columns_)
      ++counters_.cache_hits;
    else
      reindex(slot, *entry);
    return entry->place.values;
  }

  /// Brings the rows `wanted` up to date, the missing ones computed in blocks: the first ones, if not all fit into the
  /// budget.
  void fetch(std::span<const Index> wanted, int threads) {
    if (lie_ready_) return;
    wanted = wanted.first(std::min(wanted.size(), room_for_rows(columns_->size())));
    for (Index slot : wanted) {
      if (const Entry* old = find(slot); old && old->columns->size() < columns_->size())
        evict(slot);  // it lacks entries: dear to compute row by row
      if (Entry* const entry = find(slot)) touch(*entry);
    }
    for (Index slot : wanted)
      if (find(slot)) row(slot);  // shorter rows make room for others
    std::vector<Index> missing;
    std::vector<Real*> places;
    for (Index slot : wanted)
      if (!find(slot)) missing.push_back(slot);
    for (Index slot : missing) {
      ++counters_.cache_misses;
      places.push_back(admit(slot));
    }
    compute(missing, places, *columns_, threads);
    counters_.cache_hits += static_cast<std::int64_t>(missing.size());
  }

  /// out[c] += sum_r weights[r] K[rows[r], c] over the current columns. New rows are kept if `worth_keeping(r)` and if
  /// there is room for them besides the others of `rows`. Asks `must_stop()` now and then and returns false if it said
  /// so. Likewise for all `count` vectors of weights, and their sums, that follow one another.
  template <class MustStop, class WorthKeeping>
  bool accumulate(std::span<const Index> rows, const double* weights, double* out, int threads, MustStop must_stop,
                  WorthKeeping worth_keeping, Index count = 1) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto here =
        std::stable_partition(order.begin(), order.end(), [&](std::size_t r) { return lie_ready_ || find(rows[r]); });
    const auto others =
        std::stable_partition(here, order.end(), [&](std::size_t r) { return rows_are_dear() || worth_keeping(r); });
    const std::size_t width = columns_->size();
    const std::size_t room = std::min(room_for_rows(width), static_cast<std::size_t>(others - order.begin()));
    const std::size_t at_once = rows_between_questions(gram_, width, count);
    for (std::size_t r = 0; r < std::min(room, rows.size()); ++r)
      if (Entry* const entry = find(rows[order[r]])) touch(*entry);
    std::vector<Index> some;
    std::vector<double> their_weights;
    for (std::size_t first = 0; first < rows.size();) {
      const std::size_t end = std::min({rows.size(), first + at_once, first < room ? room : rows.size()});
      some.clear();
      their_weights.clear();
      for (std::size_t r = first; r < end; ++r) some.push_back(rows[order[r]]);
      for (Index k = 0; k < count; ++k)
        for (std::size_t r = first; r < end; ++r) their_weights.push_back(weights[k * rows.size() + order[r]]);
      end <= room ? add_kept_rows(some, their_weights, out, threads, count)
                  : add_passing_rows(some, their_weights, out, threads, count);
      first = end;
      if (first < rows.size() && must_stop()) return false;
    }
    return true;
  }

  /// out = K[rows, columns of the cache at `positions`], from cached rows where that is faster than computing it. Asks
  /// `must_stop()` now and then and returns false if it said so.
  template <class MustStop>
  bool block(std::span<const Index> rows, std::span<const Index> positions, Real* out, int threads,
             MustStop must_stop) {
    std::vector<Index> slots, missing;
    std::vector<Real*> places;
    for (Index c : positions) slots.push_back((*columns_)[c]);
    if (gram_.stored(arithmetic_of<Real>) && std::ranges::equal(rows, slots) && read_symmetric(slots, out))
      return !must_stop();
    const bool pick_none = computing_is_cheaper(positions.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (pick_none || !contains(rows[r])) {
        missing.push_back(rows[r]);
        places.push_back(out + r * positions.size());
      }
    const std::size_t at_once = rows_between_questions(gram_, positions.size());
    for (std::size_t first = 0; first < missing.size(); first += at_once) {
      const std::size_t count = std::min(at_once, missing.size() - first);
      compute({missing.data() + first, count}, {places.data() + first, count}, slots, threads);
      if (must_stop()) return false;
    }
    if (pick_none) return true;
    parallel_for(static_cast<Index>(rows.size()), threads, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r)
        if (contains(rows[r])) pick(kept_row(rows[r]), positions, out + r * positions.size());
    });
    return true;
  }

 private:
  static constexpr int kept = 3;

  struct Entry {
    typename Shelf<Real>::Place place;
    Columns columns;
    std::list<Index>::iterator recency;
  };

  /// out = K[slots, slots] from memory; false if some are grounded.
  bool read_symmetric(std::span<const Index> slots, Real* out) {
    std::vector<Index> room;
    const std::span<const Index> points = slots_.points(slots, room);
    if (points.size() < slots.size()) return false;
    gram_.symmetric_block(points, out);
    counters_.kernel_evaluations += static_cast<std::int64_t>(points.size() * points.size());
    return true;
  }

  /// Whether an entry is computed faster than picked from a row that lies in far memory, of which few are wanted: a
  /// line of memory has to come for each.
  bool computing_is_cheaper(std::size_t wanted) const {
    constexpr std::size_t near = std::size_t{1} << 23;              // bytes
    constexpr double line = 6.0, multiplication = 0.02, map = 0.6;  // nanoseconds
    constexpr double per_line = 64 / sizeof(Real);
    if (lie_ready_ || gram_.stored(arithmetic_of<Real>) || gram_.preferred_block() > 1 || used_ < near) return false;
    const double lines = std::min(static_cast<double>(wanted), static_cast<double>(columns_->size()) / per_line);
    return static_cast<double>(wanted) * (multiplication * gram_.entry_work + map) < lines * line;
  }

  /// Beside the touch of fresh memory for a row, which may take two nanoseconds an entry.
  bool rows_are_dear() const { return gram_.preferred_block() > 1 || gram_.entry_work > 1000.0; }

  static void pick(const Real* row, std::span<const Index> positions, Real* out) {
    for (std::size_t c = 0; c < positions.size(); ++c) out[c] = row[positions[c]];
  }

  /// Room for the row of `slot` over the current columns, to be filled in.
  Real* admit(Index slot) {
    const auto place = place_for(columns_->size());
    *place.values = 0;  // asks for the page once, where all threads would
    recent_.push_front(slot);
    entries_[slot].reset(new Entry{place, columns_, recent_.begin()});
    return place.values;
  }

  void account(std::ptrdiff_t bytes) {
    used_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(used_) + bytes);
    counters_.peak_cache_bytes = std::max(counters_.peak_cache_bytes, static_cast<std::int64_t>(used_));
  }

  void evict(Index slot) {
    leave_place(*entries_[slot]);
    recent_.erase(entries_[slot]->recency);
    entries_[slot].reset();
  }

  void leave_place(Entry& entry) {
    account(-static_cast<std::ptrdiff_t>(entry.columns->size() * sizeof(Real)));
    shelf_.give_back(entry.place);
  }

  /// Rows used long ago give way.
  typename Shelf<Real>::Place place_for(std::size_t length) {
    const std::size_t bytes = length * sizeof(Real), rows = budget_ - std::min(budget_, lent_);
    auto place = typename Shelf<Real>::Place{};
    while ((used_ + bytes > budget_ && recent_.size() >= kept) || !(place = shelf_.take(length, rows, kept)))
      evict(recent_.back());
    account(static_cast<std::ptrdiff_t>(bytes));
    return place;
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

  void reindex(Index slot, Entry& entry) {
    transfer_.prepare(entry.columns, columns_);  // mostly as for the row before: the columns of all change together
    const auto& [from, to, source, missing, missing_at] = transfer_;
    Lease<Real> values(to->size());
    for (std::size_t t = 0; t < to->size(); ++t) values.data()[t] = entry.place.values[source[t]];
    if (missing.empty()) {
      ++counters_.cache_hits;
    } else {
      ++counters_.cache_misses;
      std::vector<Real> computed(missing.size());
      Real* const place = computed.data();
      compute({&slot, 1}, {&place, 1}, missing, 1);
      for (std::size_t k = 0; k < missing.size(); ++k) values.data()[missing_at[k]] = computed[k];
    }
    leave_place(entry);
    entry.columns = columns_;
    entry.place = place_for(to->size());
    std::copy_n(values.data(), to->size(), entry.place.values);
  }

  /// places[r][c] = K[rows[r], columns[c]]; rows and columns of grounded slots are zero.
  void compute(std::span<const Index> rows, std::span<Real* const> places, std::span<const Index> columns,
               int threads) {
    std::vector<Index> row_room, column_room;
    const std::span<const Index> row_points = slots_.points(rows, row_room);
    const bool all_columns = columns.data() == columns_->data();
    const std::span<const Index> column_points = all_columns ? points_ : slots_.points(columns, column_room);
    if (row_points.size() < rows.size()) {
      std::vector<Index> rest;
      std::vector<Real*> rest_places;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (slots_.grounded(rows[r])) {
          std::fill_n(places[r], columns.size(), Real(0));
        } else {
          rest.push_back(rows[r]);
          rest_places.push_back(places[r]);
        }
      }
      if (!rest.empty()) compute(rest, rest_places, columns, threads);
      return;
    }
    if (rows.size() == 1) {
      gram_.block(row_points, column_points, places[0]);
    } else {
      const double work = gram_.entry_work * static_cast<double>(rows.size() * column_points.size());
      by_block_columns(static_cast<Index>(column_points.size()), threads, work, [&](Index begin, Index end) {
        const std::size_t width = end - begin;
        std::vector<Real*> parts;
        for (std::size_t first = 0; first < rows.size(); first += block_rows) {
          const auto some = row_points.subspan(first, std::min(block_rows, rows.size() - first));
          parts.clear();
          for (std::size_t r = 0; r < some.size(); ++r) parts.push_back(places[first + r] + begin);
          gram_.scatter(some, column_points.subspan(begin, width), parts);
        }
      });
    }
    if (column_points.size() < columns.size())
      for (Real* place : places) ground(columns, column_points.size(), place);
    counters_.kernel_evaluations += static_cast<std::int64_t>(rows.size() * column_points.size());
  }

  /// The row of a point where it lies in memory anyway.
  const Real* gram_row(Index point) const {
    if constexpr (std::is_same_v<Real, float>) return gram_.single_row(point);
    if constexpr (std::is_same_v<Real, double>) return gram_.double_row(point);
  }

  /// The row of a slot that is up to date.
  const Real* kept_row(Index slot) const {
    return lie_ready_ ? gram_row(slots_.point(slot)) : entries_[slot]->place.values;
  }

  std::size_t room_for_rows(std::size_t width) const {
    if (lie_ready_ || width == 0) return slots_.size();
    return gram_.stored(arithmetic_of<Real>) ? 0 : shelf_.room(budget_ - std::min(budget_, lent_), width);
  }

  void touch(Entry& entry) { recent_.splice(recent_.begin(), recent_, entry.recency); }

  /// Null if it is not cached.
  Entry* find(Index slot) const { return entries_[slot].get(); }

  void add_kept_rows(const std::vector<Index>& rows, const std::vector<double>& weights, double* out, int threads,
                     Index count) {
    constexpr Index wide = 2048;  // memory is read ahead on long stretches only; their sums fit into the nearest cache
    fetch(rows, threads);
    const double work = static_cast<double>(rows.size() * columns_->size() * count);
    const auto add = [&](Index begin, Index end) {
      std::vector<const Real*> values;
      for (Index slot : rows) values.push_back(kept_row(slot) + begin);
      accumulate_each(values, weights.data(), rows.size(), end - begin, out + begin, count, columns_->size());
    };
    by_block_columns(static_cast<Index>(columns_->size()), threads, work, add, wide);
  }

  void add_passing_rows(const std::vector<Index>& rows, std::vector<double> weights, double* out, int threads,
                        Index count) {
    std::vector<Index> room;
    const std::span<const Index> row_points = slots_.points(rows, room);
    if (row_points.size() < rows.size()) {  // grounded rows are zero
      std::size_t left = 0;
      for (std::size_t w = 0; w < weights.size(); ++w)
        if (!slots_.grounded(rows[w % rows.size()])) weights[left++] = weights[w];
    }
    counters_.cache_misses += static_cast<std::int64_t>(row_points.size());
    counters_.kernel_evaluations += static_cast<std::int64_t>(row_points.size() * points_.size());
    const std::size_t width = columns_->size();
    if (points_.size() == width)
      return add_products<Real>(gram_, row_points, weights.data(), points_, out, threads, count, width);
    std::vector<double> sums(count * width, 0.0);
    add_products<Real>(gram_, row_points, weights.data(), points_, sums.data(), threads, count, width);
    for (Index k = 0; k < count; ++k) ground(*columns_, points_.size(), sums.data() + k * width);
    for (std::size_t c = 0; c < sums.size(); ++c) out[c] += sums[c];
  }

  /// Spreads a row computed without its grounded columns, which are zero.
  template <class T>
  void ground(std::span<const Index> columns, std::size_t known, T* row) const {
    for (std::size_t c = columns.size(); c-- > 0;) row[c] = slots_.grounded(columns[c]) ? T(0) : row[--known];
  }

  const Gram& gram_;
  const Slots& slots_;
  std::size_t budget_, lent_ = 0;
  Counters& counters_;
  Shelf<Real> shelf_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by slot
  std::list<Index> recent_;                      // most recent first
  std::size_t used_ = 0;
  Columns columns_;
  std::span<const Index> points_;  // of the columns
  std::vector<Index> point_room_;
  bool lie_ready_ = false;  // the rows wanted are those of the Gram in memory: nothing is copied
  Transfer transfer_;
};

}  // namespace wm
