#pragma once
// The examples an online machine has in mind: those with a coefficient, and a few that may get one.
//
// A candidate that leaves leaves its slot vacant, and the next to come takes it: nothing else has to move. A vacant
// slot can neither rise nor fall, so that no pass over the slots ever chooses it. Everything that is known of a
// candidate but its kernel row is here, one array each.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../sweeps.hpp"

namespace wm::online {

/// What the stream says of an example: its row of the Gram, its linear term, and the box of its variable, which has
/// zero in it.
struct Example {
  Index point;
  double linear, lower, upper;
  bool can_rise() const { return upper > 0.0; }
  bool can_fall() const { return lower < 0.0; }
};

class Candidates {
 public:
  // By slot.
  std::vector<Index> point;
  std::vector<double> linear, lower, upper, alpha, gradient, diagonal;
  std::vector<double> rise, fall;  // upper - alpha, alpha - lower

  Extremes extremes;  // arg max of G over what can rise, arg min over what can fall

  Index slots() const { return static_cast<Index>(point.size()); }
  Index size() const { return slots() - static_cast<Index>(vacant_.size()); }
  bool is_vacant(Index s) const { return rise[s] == 0.0 && fall[s] == 0.0; }

  /// Where the next candidate will be.
  Index next_slot() const { return vacant_.empty() ? slots() : vacant_.back(); }

  /// psi(a) among the candidates.
  double violation() const { return extremes.gap(); }

  double objective() const {
    double sum = 0.0;
    for (Index s = 0; s < slots(); ++s) sum += 0.5 * alpha[s] * (linear[s] + gradient[s]);
    return sum;
  }

  /// With coefficient zero, at the next slot.
  void insert(const Example& e, double G, double K_ss) {
    const Index s = next_slot();
    if (s == slots())
      resize(s + 1);
    else
      vacant_.pop_back();
    point[s] = e.point;
    linear[s] = e.linear;
    lower[s] = e.lower;
    upper[s] = e.upper;
    gradient[s] = G;
    diagonal[s] = K_ss;
    place(s, 0.0);
    if (rise[s] > 0.0 && G > extremes.high) extremes.high = G, extremes.up = s;
    if (fall[s] > 0.0 && G < extremes.low) extremes.low = G, extremes.down = s;
  }

  /// Its coefficient must be zero; the extremes are to be found again.
  void leave(Index s) {
    linear[s] = lower[s] = upper[s] = 0.0;
    place(s, 0.0);
    vacant_.push_back(s);
  }

  /// The last slot takes the place of a vacant one.
  void remove(Index s) {
    for (auto* array : {&linear, &lower, &upper, &alpha, &gradient, &diagonal, &rise, &fall}) take_last(*array, s);
    take_last(point, s);
    std::erase(vacant_, s);
  }

  void resize(Index slots) {
    for (auto* array : {&linear, &lower, &upper, &alpha, &gradient, &diagonal, &rise, &fall}) array->resize(slots);
    point.resize(slots);
  }

  /// Changes a coefficient; a value within rounding of a bound becomes the bound, so that what can rise and fall, and
  /// who has no coefficient, is exact.
  void add(Index s, double step) {
    double value = alpha[s] + step;
    const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(alpha[s]), std::abs(step));
    if (upper[s] - value <= rounding) value = upper[s];
    if (value - lower[s] <= rounding) value = lower[s];
    place(s, value);
  }

  void place(Index s, double value) {
    alpha[s] = value;
    rise[s] = upper[s] - value;
    fall[s] = value - lower[s];
  }

  void find_extremes() { extremes = sweep::extremes(gradient.data(), rise.data(), fall.data(), 0, slots()); }

  /// The first from s on that is idle: without a coefficient, and without a partner that could give it one; slots() if
  /// there is none.
  Index next_idle(Index s) const {
    const double *const a = alpha.data(), *const G = gradient.data(), *const up = rise.data(),
                        *const down = fall.data();
    const double high = extremes.high, low = extremes.low;
    const Index all = slots();
    Index first = all;
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (Index end; s < all && first == all; s = end) {
        end = std::min(all, s + sweep::block_size);
        const Index found = sweep::first_of(s, end, [=](Index k) WM_INLINE_LAMBDA {
          const bool rises = up[k] > 0.0, falls = down[k] > 0.0;
          return (a[k] == 0.0) & (rises | falls) & !(rises & (G[k] > low)) & !(falls & (G[k] < high));
        });
        if (found < end) first = found;
      }
    });
    return first;
  }

 private:
  template <class T>
  static void take_last(std::vector<T>& array, Index s) {
    array[s] = array.back();
    array.pop_back();
  }

  std::vector<Index> vacant_;
};

}  // namespace wm::online
