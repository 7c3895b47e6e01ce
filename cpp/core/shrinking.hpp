#pragma once
// Setting aside variables that sit at a bound and want to stay there.
//
// A variable at its lower bound can only rise; if its gradient is below that of everything that can fall, no pair with
// it violates. Likewise at the upper bound. Frozen variables (equal bounds) never matter.

#include <algorithm>

#include "state.hpp"

namespace wm {

class Shrinking {
 public:
  Shrinking(bool enabled, Index variables) : enabled_(enabled), period_(std::min<Index>(variables, 1000)) {
    countdown_ = period_;
  }

  /// True every `period` iterations.
  bool due() {
    if (--countdown_ > 0) return false;
    countdown_ = period_;
    return true;
  }

  /// The next occasion comes one iteration later.
  void postpone() { countdown_ = 1; }

  /// Keeps what may still matter, if that is no more than `share` of the active variables.
  template <class Real>
  void apply(State<Real>& state, double share = 1.0) const {
    if (!enabled_) return;
    std::vector<char> keep(state.size(), 1);
    for (Index g = 0; g < state.groups(); ++g) {
      const Extremes& e = state.extremes[g];
      for (Index k = state.group_begin[g]; k < state.group_begin[g + 1]; ++k) {
        const bool rises = state.can_rise(k), falls = state.can_fall(k);
        if (!rises && !falls) keep[k] = 0;
        if (rises && !falls) keep[k] = !(state.gradient[k] < e.low);
        if (falls && !rises) keep[k] = !(state.gradient[k] > e.high);
      }
    }
    if (static_cast<double>(std::count(keep.begin(), keep.end(), 1)) > share * state.size()) return;
    state.restrict_to([&](Index k) { return keep[k] != 0; });
  }

 private:
  bool enabled_;
  Index period_, countdown_;
};

}  // namespace wm
