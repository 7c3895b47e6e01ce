#pragma once
// What the policies may know of earlier iterations. Variables, not positions: positions change when variables are set
// aside.

#include <deque>

#include "types.hpp"

namespace wm {

enum class StepKind { Free, Clipped, Planned };

struct Remembered {
  Index i, j;        // variables
  double curvature;  // of the pair, so that planning with it later costs no kernel evaluation
};

struct Memory {
  static constexpr std::size_t capacity = 32;

  std::deque<Remembered> pairs;  // latest first
  StepKind kind = StepKind::Clipped;
  double ratio = 1.0;  // latest step / its Newton step
  std::int64_t steps = 0;

  bool empty() const { return pairs.empty(); }
  const Remembered& latest() const { return pairs.front(); }

  void remember(const Remembered& pair, StepKind step_kind, double newton_ratio) {
    pairs.push_front(pair);
    if (pairs.size() > capacity) pairs.pop_back();
    kind = step_kind;
    ratio = newton_ratio;
    ++steps;
  }
};

}  // namespace wm
