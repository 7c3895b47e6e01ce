#pragma once
// What a solution becomes without one of its points: one of its variables, h, is driven to zero along the path of
// optimal solutions of all the others (Cauwenberghs & Poggio, Incremental and decremental support vector machine
// learning, NIPS 13, 2000). The path is linear between breakpoints, where a free variable meets a bound, or where the
// slack G - r of a variable at a bound (its gradient beyond the offset) meets zero and it becomes free.
//
// All paths begin at the same solution with free variables F, and pass few breakpoints. So the free system is solved
// once for everything that can happen to it (the tableau), and a path takes only what it has changed into account. With
//
//   H = [ Q_FF 1; 1' 0 ],   P = H^-1,   W_v = H^-1 [Q_Fv; 1],   S_uv = Q_uv - [Q_uF 1] W_v
//
// the response of all variables to an input at one of them is
//
//   input                                    alpha of F    slack of the others
//   v outside F moves by one                 -W_Fv         -S_.v
//   v in F is pulled off zero slack by one   -P_Fv         W_v.
//
// A path has a set M of variables that have changed sides. The inputs at M are such that those which have left F do not
// move and those which have entered it keep zero slack: |M| equations, after which every rate is a sum of |M|
// responses. A breakpoint takes O(n |M| + |M|^3) instead of the O(n |F| + |F|^2) of a factor that follows.
//
// In the end the gradient is computed again from the coefficients, so that the KKT violation that is returned proves
// what it says. Where a path cannot be followed (a degenerate cycle, no variable to take over), it is infinite.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "problem.hpp"
#include "simd.hpp"
#include "square_matrix.hpp"

namespace wm {

/// A solution of a problem with one group, and how it responds; the matrices, by rows, are borrowed.
struct Tableau {
  Problem problem;
  Index points;
  std::span<const double> K;         // points x points
  std::span<const double> response;  // row v: of all variables to an input at v
  std::vector<char> in_F;            // by variable: among those that H is made of
  std::vector<double> alpha, gradient;
  double offset;

  Index size() const { return problem.size(); }
  const double* to_input(Index v) const { return response.data() + static_cast<std::size_t>(v) * size(); }
  const double* kernel_row(Index v) const { return K.data() + static_cast<std::size_t>(problem.point(v)) * points; }
  bool has_bias() const { return !problem.grounded(size() - 1); }
};

namespace detail {

/// out += factor x.
inline void add(double factor, const double* x, std::vector<double>& out) {
  double* sum = out.data();
  const std::size_t n = out.size();
  simd::on_avx512([&]() WM_INLINE_LAMBDA {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) sum[i] += factor * x[i];
  });
}

/// b <- A^-1 b by elimination with pivots; false if A is singular to rounding.
inline bool eliminate(SquareMatrix A, std::vector<double>& b) {
  const std::size_t n = b.size();
  double size = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) size = std::max(size, std::abs(A(i, j)));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(best, k))) best = i;
    if (!(std::abs(A(best, k)) > 1e-14 * size)) return false;
    if (best != k) std::swap_ranges(A.row(k), A.row(k) + n, A.row(best)), std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A(i, k) / A(k, k);
      if (factor == 0.0) continue;
      for (std::size_t j = k; j < n; ++j) A(i, j) -= factor * A(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A(k, j) * b[j];
    b[k] /= A(k, k);
  }
  return true;
}

}  // namespace detail

/// A way from the solution of a tableau.
class Path {
 public:
  explicit Path(const Tableau& tableau)
      : alpha(tableau.alpha), tableau_(tableau), problem_(tableau.problem), place_(tableau.size()) {
    largest_ = 0.0;
    for (Index v = 0; v < tableau_.size(); ++v) {
      slack_.push_back(tableau_.gradient[v] - tableau_.offset);
      place_[v] = place_of(v);
      free_ += place_[v] == Place::Free;
      if (tableau_.in_F[v] != (place_[v] == Place::Free)) changed_.push_back(v);
      if (!problem_.grounded(v))
        largest_ = std::max(largest_, std::abs(tableau_.kernel_row(v)[problem_.point(v)]) + problem_.ridge_of(v));
    }
    std::erase_if(changed_, [&](Index v) { return place_[v] == Place::Parked; });
  }

  /// The variable stays where it is from now on, whatever the others do.
  void hold(Index h) {
    if (place_[h] == Place::Free) change_side(h), --free_;
    place_[h] = Place::Held;
  }

  /// Moves to the next breakpoint on the way of a held variable to zero; false if there is no way.
  bool advance(Index h) {
    const double s = alpha[h] > 0.0 ? -1.0 : 1.0;
    if (free_ == 0 && !find_partner(-s)) return false;
    if (!find_rates(h, s)) return false;
    double time = std::abs(alpha[h]);
    Index first = -1;
    for (Index v = 0; v < tableau_.size(); ++v)
      if (const double when = place_[v] == Place::Free ? time_to_bound(v) : time_to_enter(v); when < time)
        time = when, first = v;
    if (!std::isfinite(time)) return false;
    for (Index v = 0; v < tableau_.size(); ++v) (place_[v] == Place::Free ? alpha : slack_)[v] += time * rate_[v];
    alpha[h] = first < 0 ? 0.0 : alpha[h] + s * time;
    if (first >= 0) place_[first] == Place::Free ? meet_bound(first, rate_[first] > 0.0) : enter(first);
    return true;
  }

  /// Computes the gradient from the coefficients, and takes out what rounding has left. Returns the KKT violation.
  double settle() {
    snap();
    double left = refresh();
    if (left > 1e-11 && correct()) left = refresh();
    return left;
  }

  /// What the function is at a variable that is zero, from the target of the variable and its slack.
  double value(Index h) const { return problem_.linear[h] - slack_[h]; }

  std::vector<double> alpha;

 private:
  /// A parked variable is free, but its row of Q depends on those of F: it need not move as long as they may.
  enum class Place : char { Lower, Upper, Free, Parked, Held };

  Place place_of(Index v) const {
    if (problem_.lower[v] == problem_.upper[v]) return Place::Held;
    if (alpha[v] == problem_.lower[v]) return Place::Lower;
    if (alpha[v] == problem_.upper[v]) return Place::Upper;
    return tableau_.in_F[v] ? Place::Free : Place::Parked;
  }

  bool can_rise(Index v) const { return place_[v] != Place::Held && place_[v] != Place::Upper; }
  bool can_fall(Index v) const { return place_[v] != Place::Held && place_[v] != Place::Lower; }

  void change_side(Index v) {
    const auto found = std::find(changed_.begin(), changed_.end(), v);
    found == changed_.end() ? changed_.push_back(v) : void(changed_.erase(found));
  }

  void enter(Index v) {
    place_[v] = Place::Free;
    slack_[v] = 0.0;
    change_side(v), ++free_;
  }

  /// A free variable within rounding of a bound has met it: no offset is fixed by it.
  void snap() {
    double size = 0.0;
    for (double each : alpha) size = std::max(size, std::abs(each));
    for (Index v = 0; v < tableau_.size(); ++v)
      if (place_[v] == Place::Free) {
        if (alpha[v] - problem_.lower[v] <= 1e-12 * size)
          meet_bound(v, false);
        else if (problem_.upper[v] - alpha[v] <= 1e-12 * size)
          meet_bound(v, true);
      }
  }

  void meet_bound(Index v, bool rising) {
    alpha[v] = rising ? problem_.upper[v] : problem_.lower[v];
    place_[v] = rising ? Place::Upper : Place::Lower;
    slack_[v] = 0.0;
    change_side(v), --free_;
  }

  /// Without free variables the offset moves, to the first gradient of a variable that can rise (or fall).
  bool find_partner(double towards) {
    Index best = -1;
    for (Index v = 0; v < tableau_.size(); ++v)
      if (towards > 0.0 ? can_rise(v) : can_fall(v))
        if (best < 0 || towards * (slack_[v] - slack_[best]) > 0.0) best = v;
    if (best < 0) return false;
    const double shift = slack_[best];
    for (double& each : slack_) each -= shift;
    enter(best);
    return true;
  }

  /// While h moves with speed s: of alpha for the free variables, of the slack for all others.
  bool find_rates(Index h, double s) {
    std::vector<double> input(changed_.size());
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = tableau_.in_F[h] ? (changed_[i] == h ? s : 0.0) : -s * tableau_.to_input(h)[changed_[i]];
    rate_.assign(tableau_.size(), 0.0);
    if (!tableau_.in_F[h]) detail::add(s, tableau_.to_input(h), rate_);
    return respond(input, rate_);
  }

  /// From what the changed variables have to be to the inputs that make them so, whose responses are added to `out`;
  /// there, each changed variable then has its input.
  bool respond(std::vector<double>& input, std::vector<double>& out) const {
    const std::size_t k = changed_.size();
    SquareMatrix A(k);
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t i = 0; i < k; ++i) A(i, j) = tableau_.to_input(changed_[j])[changed_[i]];
    if (!detail::eliminate(std::move(A), input)) return false;
    for (std::size_t j = 0; j < k; ++j) detail::add(input[j], tableau_.to_input(changed_[j]), out);
    for (std::size_t j = 0; j < k; ++j) out[changed_[j]] = input[j];
    return true;
  }

  double time_to_bound(Index v) const {
    if (rate_[v] == 0.0) return infinity;
    const double room = rate_[v] > 0.0 ? problem_.upper[v] - alpha[v] : alpha[v] - problem_.lower[v];
    return std::max(0.0, room) / std::abs(rate_[v]);
  }

  /// How long until the slack of a variable at a bound vanishes; rates of rounding size are none.
  double time_to_enter(Index v) const {
    if (place_[v] == Place::Held || std::abs(rate_[v]) <= 1e-11 * largest_) return infinity;
    if (place_[v] == Place::Parked) return 0.0;
    const double sign = place_[v] == Place::Lower ? 1.0 : -1.0, closing = sign * rate_[v];
    return closing > 0.0 ? std::max(0.0, -sign * slack_[v]) / closing : infinity;
  }

  double refresh() {
    std::vector<double> moved(tableau_.points, 0.0);
    for (Index v = 0; v < tableau_.size(); ++v)
      if (const double by = alpha[v] - tableau_.alpha[v]; by != 0.0 && !problem_.grounded(v))
        detail::add(by, tableau_.kernel_row(v), moved);
    for (Index v = 0; v < tableau_.size(); ++v) {
      const double Qa = problem_.grounded(v) ? 0.0 : moved[problem_.point(v)];
      slack_[v] = tableau_.gradient[v] - Qa - problem_.ridge_of(v) * (alpha[v] - tableau_.alpha[v]);
    }
    return subtract_offset();
  }

  /// Turns gradients into slacks by the offset: the mean gradient of the free variables, without them the middle of the
  /// admissible interval (certificate.hpp). Returns the KKT violation.
  double subtract_offset() {
    double up = -infinity, down = infinity, sum = 0.0;
    Index count = 0;
    for (Index v = 0; v < tableau_.size(); ++v) {
      if (can_rise(v)) up = std::max(up, slack_[v]);
      if (can_fall(v)) down = std::min(down, slack_[v]);
      if (can_rise(v) && can_fall(v)) sum += slack_[v], ++count;
    }
    double r = std::isinf(up) ? down : std::isinf(down) ? up : 0.5 * (up + down);
    if (count > 0) r = sum / count;
    if (!tableau_.has_bias() || std::isinf(r)) r = 0.0;
    for (double& each : slack_) each -= r;
    return std::max(0.0, up - down);
  }

  /// An exact step on the free variables; false, and nothing done, if a bound is in the way.
  bool correct() {
    std::vector<double> step(tableau_.size(), 0.0), input;
    for (Index v = 0; v < tableau_.size(); ++v)
      if (place_[v] == Place::Free && tableau_.in_F[v]) detail::add(-slack_[v], tableau_.to_input(v), step);
    for (Index v : changed_) input.push_back((place_[v] == Place::Free ? -slack_[v] : 0.0) - step[v]);
    if (!respond(input, step)) return false;
    std::vector<double> better = alpha;
    for (Index v = 0; v < tableau_.size(); ++v)
      if (place_[v] == Place::Free) {
        better[v] += step[v];
        if (!(better[v] > problem_.lower[v] && better[v] < problem_.upper[v])) return false;
      }
    alpha = std::move(better);
    return true;
  }

  const Tableau& tableau_;
  const Problem& problem_;
  std::vector<Place> place_;
  std::vector<Index> changed_;  // the set M
  std::vector<double> slack_, rate_;
  Index free_ = 0;
  double largest_ = 0.0;  // entry of the diagonal of Q
};

class Deactivation {
 public:
  explicit Deactivation(Tableau tableau) : tableau_(std::move(tableau)), variables_of_(tableau_.points) {
    for (Index v = 0; v < tableau_.size(); ++v)
      if (!tableau_.problem.grounded(v)) variables_of_[tableau_.problem.point(v)].push_back(v);
  }

  struct Held {
    double value;      // of the function without the point, at the point
    double violation;  // of the KKT conditions of the others; infinite if the path could not be followed
    Index breakpoints;
  };

  Held without(Index point) const {
    Path path(tableau_);
    Index breakpoints = 0;
    for (Index h : variables_of_[point]) path.hold(h);
    for (Index h : variables_of_[point])
      for (; path.alpha[h] != 0.0; ++breakpoints)
        if (breakpoints > 2 * tableau_.size() + 10 || !path.advance(h)) return {0.0, infinity, breakpoints};
    const double violation = path.settle();
    return {path.value(variables_of_[point].front()), violation, breakpoints};
  }

 private:
  const Tableau tableau_;
  std::vector<std::vector<Index>> variables_of_;  // by point
};

}  // namespace wm
