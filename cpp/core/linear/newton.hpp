#pragma once
// Newton steps on the weights, for high precision (Mangasarian, 2002; Keerthi and DeCoste, JMLR 2005, for the squared
// hinge; Li, Sun and Toh, SIAM J. Optim. 2018, for the proximal method around them).
//
// With a ridge rho_v = ridge_v + 1/sigma around a centre c the dual has the smooth primal
//
//   Phi(u, b) = 1/2 |u|^2 + sum_v max { h_v t - rho_v t^2 / 2 : lower_v <= t <= upper_v } + b total,
//   h_v = linear_v + c_v / sigma - <u, x_v> - b,
//
// where the maximum is at a_v = clip(h_v / rho_v). Its gradient is u - sum a_v x_v and total - sum a_v, its generalised
// Hessian I + sum x_v x_v' / rho_v over the variables strictly inside their bounds: few, the more so the larger sigma
// is. The a of the minimum is the next centre, sigma grows, and the centres converge to the solution superlinearly.
// Where all ridges are positive sigma is infinite from the start, and there is one minimum to find.

#include "../factor.hpp"
#include "iterate.hpp"

namespace wm::linear {

template <class Vectors>
class Newton {
  using Places = std::vector<std::pair<Index, Index>>;  // visits and variables, in order

 public:
  /// From an iterate with its gradient.
  explicit Newton(Iterate<Vectors>& at)
      : at_(at),
        d_(at.points().dimension),
        unknowns_(d_ + std::size_t(at.constant() > 0.0) + at.has_free_bias()),
        u_(at.weights),
        b_(at.offset),
        value_(at.visits().size()),
        slope_(at.visits().size()),
        direction_(d_ + std::size_t{2}) {
    const wm::Problem& p = at.problem();
    double room = 0.0, spread = 0.0;
    std::int64_t count = 0;
    at.each_variable([&](const Visit&, Index v) {
      if (p.ridge_of(v) > 0.0) return;
      room += p.upper[v] - p.lower[v];
      spread += std::abs(p.linear[v]);
      ++count;
    });
    proximal_ = count > 0;
    if (proximal_) sigma_ = first_sharpness * room / std::max(spread, 1e-300);
    for (std::size_t k = 0; k < value_.size(); ++k) {
      const Index v = at.visits()[k].first;
      value_[k] = p.linear[v] - p.ridge_of(v) * at.alpha[v] - at.gradient(v);
    }
    for (const double l : p.linear) largest_ = std::max(largest_, std::abs(l));
  }

  std::int64_t steps() const { return steps_; }

  /// What a step takes with so many variables inside their bounds, in multiplications with scattered coordinates.
  static double work(const Iterate<Vectors>& at, double inside) {
    const double d = at.points().dimension + 2.0, per_row = at.entries() / std::max<double>(1.0, at.visits().size());
    if (d > largest_factor) return infinity;
    const double rows = 0.5 * inside * per_row * per_row, factor = d * d * d / 6.0;
    return 0.5 * at.sweep_work() + (Vectors::sparse ? rows : in_a_row * rows) + in_a_row * factor;
  }

  /// The minimum of Phi around the variables as they are, to this accuracy of the primal value at the weights of its a,
  /// which the variables become, or until a step promises no more than `least`, in at most so many steps; or until
  /// `is_enough(distance)` says so, 1/2 |u - sum a_v x_v|^2. False if told to stop.
  template <class IsEnough, class MustStop>
  bool minimise(double accuracy, double least, std::int64_t most, IsEnough is_enough, MustStop must_stop) {
    centre_ = at_.alpha;
    if (steps_ > 0 && !evaluate(u_.data(), value_, must_stop)) return false;
    most = std::min(most, most_steps);
    for (std::int64_t k = 0; k < most; ++k) {
      const bool changed = take_values();
      if ((k > 0 && exact_step_ && !changed) || is_enough(distance())) return true;
      const double decrement = -find_direction(accuracy, must_stop);
      ++steps_;
      if (stopped_) return false;
      if (!(decrement > least) || excess_ <= accuracy) return true;
      if (!evaluate(direction_.data(), slope_, must_stop)) return false;
      const double t = line_search(decrement);
      exact_step_ = t == 1.0 && !damped_;
      for (std::size_t j = 0; j < u_.size(); ++j) u_[j] += t * direction_[j];
      b_ += t * direction_b_;
      for (std::size_t k = 0; k < value_.size(); ++k) value_[k] += t * slope_[k];
    }
    take_values();
    return true;
  }

  const std::vector<double>& weights() const { return u_; }
  const std::vector<double>& values() const { return value_; }

  void sharpen(double factor) {
    sigma_ *= factor;
    if (!at_.problem().ridge.empty()) summed_.clear();
  }

 private:
  double rho(Index v) const { return at_.problem().ridge_of(v) + (proximal_ ? 1.0 / sigma_ : 0.0); }

  /// 1 / rho = scale * weight, such that weights stay the same where no variable has a ridge of its own.
  double scale() const { return proximal_ ? sigma_ : 1.0; }
  double weight(Index v) const { return 1.0 / (rho(v) * scale()); }

  /// h / rho without the bounds.
  double unclipped(Index v, double f) const {
    const double pull = proximal_ ? centre_[v] / sigma_ : 0.0;
    return (at_.problem().linear[v] + pull - f) / rho(v);
  }

  double distance() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < u_.size(); ++j) sum += (u_[j] - at_.weights[j]) * (u_[j] - at_.weights[j]);
    return 0.5 * sum;
  }

  template <class MustStop>
  bool evaluate(const double* w, std::vector<double>& values, MustStop must_stop) {
    const auto& visits = at_.visits();
    for (std::size_t k = 0; k < visits.size(); ++k) {
      values[k] = at_.value(visits[k].row, w);
      if (k % look_every == look_every - 1 && must_stop()) return false;
    }
    return true;
  }

  /// a = clip(h / rho), and which variables are inside; whether they are others than before.
  bool take_values() {
    const wm::Problem& p = at_.problem();
    const auto& visits = at_.visits();
    Places inside;
    inside.reserve(visits.size());
    for (std::size_t k = 0; k < visits.size(); ++k)
      for (const Index v : {visits[k].first, visits[k].second}) {
        if (v < 0) continue;
        const double a = unclipped(v, value_[k] + b_);
        if (p.lower[v] < a && a < p.upper[v]) inside.emplace_back(static_cast<Index>(k), v);
        at_.move(visits[k], v, std::clamp(a, p.lower[v], p.upper[v]));
      }
    const bool changed = inside != inside_;
    inside_ = std::move(inside);
    return changed;
  }

  /// Solves for the Newton direction; the slope of Phi along it.
  template <class MustStop>
  double find_direction(double accuracy, MustStop must_stop) {
    std::vector<double> gradient(unknowns_);
    const std::size_t weights = unknowns_ - at_.has_free_bias();
    for (std::size_t j = 0; j < weights; ++j) gradient[j] = u_[j] - at_.weights[j];
    double damping = 0.0;
    if (at_.has_free_bias()) {
      gradient.back() = at_.total() - at_.sum();
      damping = std::abs(gradient.back()) / std::max(largest_, 1e-300);  // no jump of b where nothing holds it
      if (inside_.empty()) damping = std::max(damping, 1e-300);
      double curvature = 0.0;
      for (const auto& [k, v] : inside_) curvature += 1.0 / rho(v);
      damped_ = damping > negligible * curvature;
    }
    std::vector<double> p(unknowns_);
    for (std::size_t j = 0; j < unknowns_; ++j) p[j] = -gradient[j];
    stopped_ = !solve(damping, p, must_stop);
    double slope = 0.0;
    for (std::size_t j = 0; j < unknowns_; ++j) slope += p[j] * gradient[j];
    std::fill(direction_.begin(), direction_.end(), 0.0);
    std::copy_n(p.begin(), weights, direction_.begin());
    direction_b_ = at_.has_free_bias() ? p.back() : 0.0;
    double square = 0.0;
    for (const double g : gradient) square += g * g;
    excess_ = -0.5 * square * square / slope;  // not more than the true one, by Cauchy and Schwarz
    if (excess_ > accuracy || stopped_ || (stopped_ = !multiply(gradient, damping, p, must_stop))) return slope;
    excess_ = 0.0;
    for (std::size_t j = 0; j < unknowns_; ++j) excess_ += 0.5 * gradient[j] * p[j];
    return slope;
  }

  /// Coordinates of a point, that of the constant and that of the free bias.
  template <class Body>
  WM_INLINE void each_unknown(Index row, Body body) const {
    each_coordinate(at_.points()[row], body);
    if (at_.constant() > 0.0) body(d_, at_.constant());
    if (at_.has_free_bias()) body(static_cast<Index>(unknowns_ - 1), 1.0);
  }

  template <class MustStop>
  bool solve(double damping, std::vector<double>& p, MustStop must_stop) {
    if (!sum_products(must_stop)) return false;
    SquareMatrix H(unknowns_);
    for (std::size_t i = 0; i < unknowns_; ++i) {
      for (std::size_t j = i; j < unknowns_; ++j) H(i, j) = scale() * products_(i, j);
      H(i, i) += i + 1 < unknowns_ || !at_.has_free_bias() ? 1.0 : damping;
    }
    Factor factor;
    if (!factor.factorise(std::move(H), must_stop)) return false;
    factor.solve(p.data());
    return true;
  }

  /// Brings sum_v weight_v x_v x_v' over the variables inside up to date: between two steps few come and go.
  template <class MustStop>
  bool sum_products(MustStop must_stop) {
    Places come = without(inside_, summed_), gone = without(summed_, inside_);
    if (summed_.empty() || come.size() + gone.size() >= inside_.size()) {
      products_ = SquareMatrix(unknowns_);
      come = inside_, gone.clear();
    }
    summed_.clear();
    if (!add_products(come, 1.0, must_stop) || !add_products(gone, -1.0, must_stop)) return false;
    summed_ = inside_;
    return true;
  }

  static Places without(const Places& some, const Places& others) {
    Places left;
    std::set_difference(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
  }

  template <class MustStop>
  bool add_products(const Places& places, double sign, MustStop must_stop) {
    return Vectors::sparse ? add_sparse(places, sign, must_stop) : add_dense(places, sign, must_stop);
  }

  template <class MustStop>
  bool add_sparse(const Places& places, double sign, MustStop must_stop) {
    std::vector<Index> unknown(unknowns_);
    std::vector<double> x(unknowns_);
    std::size_t count = 0;
    for (const auto& [k, v] : places) {
      std::size_t size = 0;
      each_unknown(at_.visits()[k].row, [&](Index j, double xj) { unknown[size] = j, x[size++] = xj; });
      const double factor = sign * weight(v);
      for (std::size_t i = 0; i < size; ++i) {
        double* const __restrict h = products_.row(unknown[i]);
        const double scaled = factor * x[i];
        for (std::size_t j = i; j < size; ++j) h[unknown[j]] += scaled * x[j];
      }
      if (++count % look_every == 0 && must_stop()) return false;
    }
    return true;
  }

  /// Several rows at a time, so that the matrix is read and written once for all of them.
  template <class MustStop>
  bool add_dense(const Places& places, double sign, MustStop must_stop) {
    const std::size_t n = unknowns_;
    std::vector<double> rows(together * n);
    for (std::size_t begin = 0; begin < places.size(); begin += together) {
      std::fill(rows.begin(), rows.end(), 0.0);
      for (std::size_t r = 0; r < together && begin + r < places.size(); ++r) {
        const auto [k, v] = places[begin + r];
        const double root = std::sqrt(weight(v));
        each_unknown(at_.visits()[k].row, [&](Index j, double x) { rows[r * n + j] = root * x; });
      }
      const double* const x = rows.data();
      simd::on_avx512([&]() WM_INLINE_LAMBDA {
        for (std::size_t i = 0; i < n; ++i) {
          double* const __restrict h = products_.row(i);
          for (std::size_t j = i; j < n; ++j) {
            double sum = 0.0;
            for (std::size_t r = 0; r < together; ++r) sum += x[r * n + i] * x[r * n + j];
            h[j] += sign * sum;
          }
        }
      });
      if (must_stop()) return false;
    }
    return true;
  }

  /// The Hessian times s.
  template <class MustStop>
  bool multiply(const std::vector<double>& s, double damping, std::vector<double>& product, MustStop must_stop) const {
    product = s;
    if (at_.has_free_bias()) product.back() *= damping;
    std::size_t count = 0;
    for (const auto& [k, v] : inside_) {
      const Index row = at_.visits()[k].row;
      double sum = 0.0;
      each_unknown(row, [&](Index j, double x) { sum += x * s[j]; });
      sum /= rho(v);
      each_unknown(row, [&](Index j, double x) { product[j] += sum * x; });
      if (++count % look_every == 0 && must_stop()) return false;
    }
    return true;
  }

  /// The slope of Phi at (u, b) + t direction.
  double slope(double t) const {
    const wm::Problem& p = at_.problem();
    const auto& visits = at_.visits();
    double sum = at_.total() * direction_b_;
    for (std::size_t j = 0; j < u_.size(); ++j) sum += (u_[j] + t * direction_[j]) * direction_[j];
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const double along = slope_[k] + direction_b_, f = value_[k] + b_ + t * along;
      for (const Index v : {visits[k].first, visits[k].second})
        if (v >= 0) sum -= along * std::clamp(unclipped(v, f), p.lower[v], p.upper[v]);
    }
    return sum;
  }

  /// A step after which the slope is a small part of what it was; the whole step if that will do, and a very long one
  /// if rounding hides where the slope ends.
  double line_search(double decrement) const {
    constexpr double small = 0.1;
    double low = 0.0, high = 1.0, at_low = -decrement, at_high = slope(1.0);
    if (std::abs(at_high) <= small * decrement) return 1.0;
    for (int k = 0; k < 20 && at_high < 0.0; ++k) {
      low = high, at_low = at_high;
      high *= 2.0, at_high = slope(high);
    }
    if (!(at_high > 0.0)) return high;
    double t = high;
    for (int k = 0; k < 40; ++k) {
      // The chord's zero, pulled towards the middle: slopes are far from straight at first.
      const double chord = low + (high - low) * at_low / (at_low - at_high);
      t = k % 2 == 0 ? std::clamp(chord, low + 0.1 * (high - low), high - 0.1 * (high - low)) : 0.5 * (low + high);
      const double s = slope(t);
      if (std::abs(s) <= small * decrement) break;
      (s < 0.0 ? low : high) = t;
      (s < 0.0 ? at_low : at_high) = s;
    }
    return t;
  }

  static constexpr double first_sharpness = 10.0;
  static constexpr std::int64_t most_steps = 100;
  static constexpr double largest_factor = 3000.0;
  static constexpr double in_a_row = 0.15;  // multiplications in vector loops, beside those with scattered coordinates
  static constexpr double negligible = 1e-12;
  static constexpr std::size_t together = 8;

  Iterate<Vectors>& at_;
  const Index d_;
  const std::size_t unknowns_;
  std::vector<double> u_;
  double b_;
  std::vector<double> value_, slope_;  // by visit: <u, x>, and the same of the direction
  std::vector<double> direction_, centre_;
  double direction_b_ = 0.0, sigma_ = infinity, largest_ = 0.0;
  double excess_ = 0.0;  // of the primal value at sum a_v x_v over that at u, about
  Places inside_;        // strictly inside their bounds
  Places summed_;        // those in products_
  SquareMatrix products_;
  bool proximal_ = false, exact_step_ = false, damped_ = false, stopped_ = false;
  std::int64_t steps_ = 0;
};

}  // namespace wm::linear
