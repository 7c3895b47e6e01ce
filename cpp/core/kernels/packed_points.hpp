#pragma once
#include <mutex>

#include "frame.hpp"

namespace wm {

/// Points written out in a frame in type A: all of them at the first use if they take little room, else when asked for.
template <class A>
class PackedPoints {
 public:
  /// Some points one after the other, and their squared lengths.
  struct Some {
    const A *values, *squares;
    std::size_t count;
  };

  PackedPoints(const Points& points, const Frame& frame) : points_(points), frame_(frame) {
    constexpr std::size_t little = std::size_t{1} << 25;  // bytes
    kept_ = std::size_t(count(points)) * frame.dimension() * sizeof(A) <= little;
  }

  /// Those in `which`, in `room` if they do not lie so already.
  Some operator()(std::span<const Index> which, Packed<A>& room) const {
    if (!kept_) {
      frame_.pack(points_, which, room);
    } else {
      std::call_once(written_, [&] { write_all(); });
      if (consecutive(which)) return {row(which[0]), all_.squares.data() + which[0], which.size()};
      gather(which, room);
    }
    return {room.values.data(), room.squares.data(), which.size()};
  }

 private:
  const A* row(Index i) const { return all_.values.data() + std::size_t(i) * frame_.dimension(); }

  void write_all() const {
    std::vector<Index> every(count(points_));
    std::iota(every.begin(), every.end(), Index(0));
    frame_.pack(points_, every, all_);
  }

  void gather(std::span<const Index> which, Packed<A>& room) const {
    const std::size_t d = frame_.dimension();
    room.values.resize(which.size() * d);
    room.squares.resize(which.size());
    for (std::size_t a = 0; a < which.size(); ++a) {
      std::copy_n(row(which[a]), d, room.values.data() + a * d);
      room.squares[a] = all_.squares[which[a]];
    }
  }

  const Points& points_;
  const Frame& frame_;
  bool kept_;
  mutable std::once_flag written_;
  mutable Packed<A> all_;
};

}  // namespace wm
