#pragma once
// The examples an online machine has in mind: those with a coefficient, and a few that may get one.
//
// Slots 0 .. size()-1 are dense and have no order: a candidate that leaves gives its slot to the last one. Everything
// that is known of a candidate but its kernel row is here, one array each.

#include <algorithm>
#include <cmath>
#include <cstdint>
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
  std::vector<std::int64_t> arrival;

  Extremes extremes;  // arg max of G over what can rise, arg min over what can fall

  Index size() const { return static_cast<Index>(point.size()); }

  /// psi(a) among the candidates.
  double violation() const { return extremes.gap(); }

  double objective() const {
    double sum = 0.0;
    for (Index s = 0; s < size(); ++s) sum += 0.5 * alpha[s] * (linear[s] + gradient[s]);
    return sum;
  }

  /// With coefficient zero, at the last slot.
  void insert(const Example& e, double G, double K_ss, std::int64_t now) {
    point.push_back(e.point);
    linear.push_back(e.linear);
    lower.push_back(e.lower);
    upper.push_back(e.upper);
    alpha.push_back(0.0);
    gradient.push_back(G);
    diagonal.push_back(K_ss);
    rise.push_back(e.upper);
    fall.push_back(-e.lower);
    arrival.push_back(now);
    consider(size() - 1);
  }

  /// The last candidate takes the slot; the extremes are to be found again.
  void remove(Index s) {
    for (auto* array : {&linear, &lower, &upper, &alpha, &gradient, &diagonal, &rise, &fall}) take_last(*array, s);
    take_last(point, s);
    take_last(arrival, s);
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

  void find_extremes() { extremes = sweep::extremes(gradient.data(), rise.data(), fall.data(), 0, size()); }

  /// Whether it has no coefficient, and no partner that could give it one.
  bool is_idle(Index s) const {
    if (alpha[s] != 0.0) return false;
    return !(rise[s] > 0.0 && gradient[s] > extremes.low) && !(fall[s] > 0.0 && gradient[s] < extremes.high);
  }

 private:
  template <class T>
  static void take_last(std::vector<T>& array, Index s) {
    array[s] = array.back();
    array.pop_back();
  }

  void consider(Index s) {
    if (rise[s] > 0.0 && gradient[s] > extremes.high) extremes.high = gradient[s], extremes.up = s;
    if (fall[s] > 0.0 && gradient[s] < extremes.low) extremes.low = gradient[s], extremes.down = s;
  }
};

}  // namespace wm::online
