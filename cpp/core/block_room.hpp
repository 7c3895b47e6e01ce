#pragma once
// Room for the block of the kernel matrix that belongs to a working set; it is a part of the budget for rows.

#include <algorithm>
#include <cmath>
#include <memory>

#include "pages.hpp"
#include "types.hpp"

namespace wm {

template <class Real>
class BlockRoom {
 public:
  /// So many entries, which stay until more are asked for; `lend` is told how many bytes more are taken.
  template <class Lend>
  Real* of(std::size_t entries, Lend lend) {
    if (entries > size_) {
      lend((entries - size_) * sizeof(Real));
      room_.reset();
      room_ = std::make_unique<Pages>((size_ = entries) * sizeof(Real));
    }
    return room_->template as<Real>();
  }

  const Real* get() const { return room_->template as<Real>(); }

  /// No more members than let a block of `growth` times as many be half of the budget, if that is not too `few`.
  static Index affordable(Index size, std::size_t cache_bytes, double few, double growth = 1.0) {
    const double most = std::sqrt(0.5 * static_cast<double>(cache_bytes) / sizeof(Real)) / growth;
    return std::min(size, static_cast<Index>(std::max(few, std::min<double>(most, size))));
  }

 private:
  std::unique_ptr<Pages> room_;
  std::size_t size_ = 0;
};

}  // namespace wm
