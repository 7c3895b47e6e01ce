#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "problem.hpp"

namespace wm {

/// Distinct rows of the Gram, numbered in the order in which the variables first name them: variables that share a row
/// share a slot. Where none do, a slot is a variable and nothing is stored.
class Slots {
 public:
  Slots(const Problem& problem, Index gram_rows) : Slots(problem.size(), problem.points, gram_rows) {}

  /// Of so many variables with these points, see Problem.
  Slots(Index variables, std::span<const Index> points, Index gram_rows) : size_(variables), points_(points) {
    if (points_.empty()) return;
    if (repeated(points_, gram_rows))
      number(gram_rows);
    else if (counts_up(points_))
      points_ = {};
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  Index size() const { return size_; }
  bool shared() const { return !of_variable_.empty(); }

  /// Whether slot s is row s of the Gram.
  bool are_points() const { return points_.empty(); }

  Index of(Index variable) const { return shared() ? of_variable_[variable] : variable; }
  Index point(Index slot) const { return are_points() ? slot : points_[slot]; }
  bool grounded(Index slot) const { return point(slot) < 0; }

  /// Rows of the Gram of some slots, grounded ones left out; in `room` if they have to be written down.
  std::span<const Index> points(std::span<const Index> slots, std::vector<Index>& room) const {
    if (are_points()) return slots;
    room.clear();
    room.reserve(slots.size());
    for (const Index slot : slots)
      if (!grounded(slot)) room.push_back(points_[slot]);
    return room;
  }

 private:
  static bool repeated(std::span<const Index> points, Index gram_rows) {
    std::vector<char> named(gram_rows + 1, 0);  // grounded variables first
    return std::any_of(points.begin(), points.end(), [&](Index point) { return named[point + 1]++ != 0; });
  }

  static bool counts_up(std::span<const Index> points) {
    for (std::size_t v = 0; v < points.size(); ++v)
      if (points[v] != static_cast<Index>(v)) return false;
    return true;
  }

  void number(Index gram_rows) {
    std::vector<Index> slot_of_point(gram_rows + 1, -1);
    of_variable_.reserve(size_);
    for (const Index point : points_) {
      Index& slot = slot_of_point[point + 1];
      if (slot < 0) {
        slot = static_cast<Index>(own_points_.size());
        own_points_.push_back(point);
      }
      of_variable_.push_back(slot);
    }
    points_ = own_points_;
    size_ = static_cast<Index>(own_points_.size());
  }

  Index size_;
  std::span<const Index> points_;  // slot -> row of the Gram; -1: grounded; empty: the slot itself
  std::vector<Index> own_points_;
  std::vector<Index> of_variable_;  // variable -> slot; empty: the variable itself
};

}  // namespace wm
