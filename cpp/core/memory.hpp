#pragma once
// What the policies may know of earlier iterations. Variables, not positions: positions change when variables are set
// aside.

#include <cmath>
#include <deque>

#include "types.hpp"

namespace wm {

enum class StepKind { Free, Clipped, Planned };

struct Step {
  double length;
  double newton;  // unclipped optimum along the pair; infinite where the objective is linear
  StepKind kind;
  double ratio() const { return std::isinf(newton) || newton == 0.0 ? 1.0 : length / newton; }
};

struct Remembered {
  Index i, j;        // variables
  double curvature;  // of the pair, so that planning with it later costs no kernel evaluation
};

struct Memory {
  static constexpr std::size_t capacity = 32;

  std::deque<Remembered> pairs;  // latest first
  StepKind kind = StepKind::Clipped;
  double ratio = 1.0;  // latest step / its Newton step

  bool empty() const { return pairs.empty(); }
  const Remembered& latest() const { return pairs.front(); }

  void remember(const Remembered& pair, const Step& step) {
    pairs.push_front(pair);
    if (pairs.size() > capacity) pairs.pop_back();
    kind = step.kind;
    ratio = step.ratio();
  }
};

}  // namespace wm
