#pragma once
// The one quadratic program behind the machines that learn N classes at once. Example i has a label y_i and a price
// C_i;
//
//   minimise  1/2 sum_k |f_k|^2 + sum_i C_i L_i,       L_i = sum_{k != y_i} max(0, h_ik)     (each class has its slack)
//                                                   or L_i = max_{k != y_i} max(0, h_ik)     (one slack per example)
//
// over N functions, where h says by how much class k misses the margin,
//
//   h_ik = margin - (f_{y_i}(x_i) - f_k(x_i))    relative:  the values of two classes are compared,
//   h_ik = margin + f_k(x_i),  sum_k f_k = 0     absolute:  a value is compared with zero.
//
// Its dual has N - 1 variables per example and no constraint that joins two examples:
//
//   maximise    D = margin sum_ik alpha_ik - 1/2 sum_k c_k'K c_k,       dD / d alpha_ik = h_ik,
//   subject to  alpha_ik >= 0,  alpha_{i,y_i} = 0,  and  alpha_ik <= C_i  or  A_i = sum_k alpha_ik <= C_i,
//
//   c_ik = [k = y_i] A_i - alpha_ik   (relative)   or   A_i / N - alpha_ik   (absolute),     f_k = sum_i c_ik k(x_i,
//   .).
//
// With constants b_k that no norm pays for, f_k + b_k in place of f_k, come the constraints  S_k = sum_i c_ik = 0  that
// join all examples; see bias.hpp.
//
//   relative, sum: Weston and Watkins 1999.  relative, largest: Crammer and Singer 2001.  absolute, sum: Lee, Lin and
//   Wahba 2004.  Dogan, Glasmachers and Igel (JMLR 17, 2016) see them as one family.

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../types.hpp"

namespace wm::joint {

enum class Loss { RelativeSum, RelativeLargest, AbsoluteSum };

/// The arrays are borrowed.
struct Problem {
  std::span<const Index> labels;
  std::span<const double> price;
  std::span<const double> start;  // alpha, example by example
  std::span<const Index> points;  // example -> row of the Gram; empty: identity
  Index classes;
  double margin;
  Loss loss;
  std::span<const double> bias = {};  // b at the start, by class; empty: there is none
  double bias_scale = 0.0;            // what is added to all entries of the Gram to find b

  Index size() const { return static_cast<Index>(labels.size()); }
  Index point(Index i) const { return points.empty() ? i : points[i]; }
  bool relative() const { return loss != Loss::AbsoluteSum; }
  bool one_slack() const { return loss == Loss::RelativeLargest; }
  bool has_bias() const { return !bias.empty(); }

  /// The coefficients that the multipliers of an example with label y stand for; both linear and both by class.
  template <class Alpha, class Write>
  void coefficients(Index y, Alpha alpha, Write write) const {
    double total = 0.0;
    for (Index k = 0; k < classes; ++k) total += alpha(k);
    for (Index k = 0; k < classes; ++k) write(k, (relative() ? (k == y ? total : 0.0) : total / classes) - alpha(k));
  }

  /// Throws std::invalid_argument unless every array fits and `start` is feasible.
  void check(Index gram_rows) const;
};

inline void Problem::check(Index gram_rows) const {
  auto fail = [](const std::string& sentence) { throw std::invalid_argument(sentence); };
  const std::size_t n = labels.size();
  if (n == 0) fail("The problem has no examples.");
  if (classes < 2) fail("classes must be at least 2.");
  if (!(margin > 0.0)) fail("margin must be positive.");
  if (price.size() != n) fail("price must have one entry per example.");
  if (start.size() != n * classes) fail("start must have one entry per example and class.");
  if (points.empty() ? static_cast<Index>(n) > gram_rows : points.size() != n)
    fail("points must have one entry per example.");
  if (has_bias() && one_slack()) fail("A free bias needs a slack for every class.");
  if (has_bias() && (bias.size() != static_cast<std::size_t>(classes) || !(bias_scale > 0.0)))
    fail("bias must have one entry per class, and a positive scale.");
  std::vector<char> named(gram_rows, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string which = " (example " + std::to_string(i) + ").";
    if (labels[i] < 0 || labels[i] >= classes) fail("labels must be below classes" + which);
    if (point(i) < 0 || point(i) >= gram_rows) fail("points refers to a row the Gram does not have" + which);
    if (named[point(i)]++) fail("points must not name a row twice" + which);
    if (!(price[i] > 0.0 && price[i] < infinity)) fail("price must be positive and finite" + which);
    double total = 0.0;
    for (Index k = 0; k < classes; ++k) {
      const double a = start[i * classes + k];
      total += a;
      if (!(a >= 0.0 && a <= (k == labels[i] ? 0.0 : price[i]))) fail("start must lie within its bounds" + which);
    }
    if (one_slack() && total > price[i] * (1.0 + 1e-12)) fail("start must lie within its bounds" + which);
  }
}

}  // namespace wm::joint
