#pragma once
// Where kernel rows lie: trays side by side in large pages, each as long as the longest row. A tray takes a row, or
// several of a length of which several fit, but never rows of different lengths; so no gaps are left behind when the
// length of rows changes.

#include <algorithm>
#include <memory>
#include <vector>

#include "pages.hpp"
#include "types.hpp"

namespace wm {

template <class Real>
class Shelf {
 public:
  struct Place {
    Real* values = nullptr;
    Index tray = -1;
    explicit operator bool() const { return values != nullptr; }
  };

  /// For as many rows as the longest has entries, at most.
  explicit Shelf(std::size_t longest) : rows_(longest), longest_((longest / per_line + 1) * per_line) {}

  /// How many rows of a length have room in so many bytes.
  std::size_t room(std::size_t bytes, std::size_t length) const { return trays_in(bytes) * per_tray(length); }

  /// Room for a row in trays that take no more bytes than these, one tray being always there for each of `least` rows;
  /// nothing if all is taken.
  Place take(std::size_t length, std::size_t bytes, std::size_t least) {
    if (length != length_) look_for(length);
    while (!partly_.empty() && !has_room(trays_[partly_.back()])) partly_.pop_back();
    if (partly_.empty()) {
      if (vacant_.empty()) grow(std::max(trays_in(bytes), least));
      if (vacant_.empty()) return {};
      partly_.push_back(vacant_.back());
      trays_[vacant_.back()].taken.assign(per_tray(length), 0);
      trays_[vacant_.back()].length = length;
      vacant_.pop_back();
    }
    Tray& tray = trays_[partly_.back()];
    const auto free = std::find(tray.taken.begin(), tray.taken.end(), 0);
    *free = 1;
    ++tray.rows;
    return {tray.values + (free - tray.taken.begin()) * length, partly_.back()};
  }

  void give_back(const Place& place) {
    Tray& tray = trays_[place.tray];
    tray.taken[(place.values - tray.values) / tray.length] = 0;
    if (--tray.rows == 0) {
      tray.length = 0;
      vacant_.push_back(place.tray);
    } else if (tray.length == length_ && tray.rows + 1 == static_cast<Index>(tray.taken.size())) {
      partly_.push_back(place.tray);
    }
  }

 private:
  struct Tray {
    Real* values;
    std::size_t length = 0;  // of its rows; 0: it is vacant
    Index rows = 0;
    std::vector<char> taken;  // by place
  };

  static constexpr std::size_t per_line = 64 / sizeof(Real);  // of memory, at one of which each tray begins

  std::size_t per_tray(std::size_t length) const { return longest_ / std::max<std::size_t>(length, 1); }
  std::size_t trays_in(std::size_t bytes) const { return bytes / (longest_ * sizeof(Real)); }
  bool has_room(const Tray& tray) const {
    return tray.length == length_ && tray.rows < static_cast<Index>(tray.taken.size());
  }

  void look_for(std::size_t length) {
    length_ = length;
    partly_.clear();
    for (Index t = 0; t < static_cast<Index>(trays_.size()); ++t)
      if (has_room(trays_[t])) partly_.push_back(t);
  }

  /// Some more trays, up to so many in all, and never more than there are rows.
  void grow(std::size_t most) {
    most = std::min(most, rows_);
    if (trays_.size() >= most) return;
    const std::size_t tray_bytes = longest_ * sizeof(Real);
    const std::size_t count = std::min(most - trays_.size(), std::max<std::size_t>(1, Pages::usual / tray_bytes));
    pages_.push_back(std::make_unique<Pages>(count * tray_bytes));
    for (std::size_t t = count; t-- > 0;) vacant_.push_back(static_cast<Index>(trays_.size() + t));
    for (std::size_t t = 0; t < count; ++t)
      trays_.push_back({pages_.back()->template as<Real>() + t * longest_, 0, 0, {}});
  }

  std::size_t rows_;                  // that there are
  std::size_t longest_, length_ = 0;  // of any row; of those that are put here now
  std::vector<std::unique_ptr<Pages>> pages_;
  std::vector<Tray> trays_;
  std::vector<Index> vacant_, partly_;  // trays without rows; such that may have room for one more of this length
};

}  // namespace wm
