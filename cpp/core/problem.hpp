#pragma once
// The one quadratic program behind every machine:
//
//   maximise    f(a) = linear'a - 1/2 a'Qa,      Q = K + diag(ridge)
//   subject to  lower <= a <= upper,   and the sum of a over each group keeps the value it has at the start.
//
// Variables are signed (a_n = y_n alpha_n of the textbooks), so that the equality is a plain sum and Q the kernel
// matrix. A group is a contiguous range of variables: one for an ordinary machine with a bias, two for the nu machines.
// A machine without bias has one more variable, grounded (its kernel row is zero) and unbounded, that absorbs the sum.

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "types.hpp"

namespace wm {

/// The arrays are borrowed: a problem may be as large as all that a solver knows about it.
struct Problem {
  std::span<const double> linear, lower, upper, start;
  std::span<const double> ridge;   // empty: zero
  std::span<const Index> points;   // variable -> row of the Gram; empty: identity; -1: grounded
  std::vector<Index> group_begin;  // first variable of each group, then size()

  Index size() const { return static_cast<Index>(linear.size()); }
  Index groups() const { return static_cast<Index>(group_begin.size()) - 1; }
  Index point(Index v) const { return points.empty() ? v : points[v]; }
  double ridge_of(Index v) const { return ridge.empty() ? 0.0 : ridge[v]; }
  bool grounded(Index v) const { return point(v) < 0; }

  /// Whether a feasible point may be multiplied by any positive number (bounds zero or infinite, sums zero) with no
  /// ridge to make that costly: only then can the objective be unbounded.
  bool is_cone() const;

  /// Throws std::invalid_argument unless every array fits and `start` is feasible for `gram_rows` points.
  void check(Index gram_rows) const;
};

inline void Problem::check(Index gram_rows) const {
  const std::size_t m = linear.size();
  auto fail = [](const std::string& sentence) { throw std::invalid_argument(sentence); };
  if (m == 0) fail("The problem has no variables.");
  if (lower.size() != m || upper.size() != m || start.size() != m)
    fail("linear, lower, upper and start must have the same length.");
  if (!ridge.empty() && ridge.size() != m) fail("ridge must have one entry per variable.");
  if (!points.empty() && points.size() != m) fail("points must have one entry per variable.");
  if (points.empty() && static_cast<Index>(m) > gram_rows)
    fail("The problem has more variables than the Gram has rows.");
  if (group_begin.size() < 2 || group_begin.front() != 0 || group_begin.back() != static_cast<Index>(m))
    fail("group_sizes must add up to the number of variables.");
  for (std::size_t v = 0; v < m; ++v) {
    const Index row = point(static_cast<Index>(v));
    if (row < -1 || row >= gram_rows) fail("points refers to a row the Gram does not have.");
    if (!(lower[v] <= upper[v])) fail("lower must not exceed upper (variable " + std::to_string(v) + ").");
    if (!(lower[v] <= start[v] && start[v] <= upper[v]))
      fail("start must lie between lower and upper (variable " + std::to_string(v) + ").");
    if (!(linear[v] - linear[v] == 0.0)) fail("linear must be finite (variable " + std::to_string(v) + ").");
  }
}

inline bool Problem::is_cone() const {
  if (!ridge.empty()) return false;
  for (Index v = 0; v < size(); ++v)
    if ((lower[v] != 0.0 && lower[v] != -infinity) || (upper[v] != 0.0 && upper[v] != infinity)) return false;
  for (Index g = 0; g < groups(); ++g) {
    double sum = 0.0, size = 0.0;
    for (Index v = group_begin[g]; v < group_begin[g + 1]; ++v) sum += start[v], size += std::abs(start[v]);
    if (std::abs(sum) > 1e-12 * size) return false;
  }
  return true;
}

}  // namespace wm
