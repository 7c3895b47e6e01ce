#pragma once
// Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008; Ho and Lin, JMLR 2012, for
// regression): one variable after the other to its best value,
//
//   a_v <- clip(a_v + G_v / (|x_v|^2 + ridge_v)),   G_v = linear_v - <w, x_v> - b - ridge_v a_v,   w <- w + change x_v,
//
// at the price of reading x_v twice. A free bias b follows by the method of multipliers: the sum of the variables has a
// quadratic price, s^2/2 (sum a - total)^2, and b <- b + s^2 (sum a - total) after each sweep.
//
// A sweep sums up on its way what every variable could still gain, which is the duality gap if nothing moved meanwhile.

#include <cstdint>

#include "iterate.hpp"

namespace wm::linear {

/// Marsaglia's xorshift, for orders that nobody tries to predict.
class Shuffle {
 public:
  explicit Shuffle(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}

  void operator()(std::vector<Index>& order) {
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[below(k)]);
  }

 private:
  std::size_t below(std::size_t bound) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<std::size_t>(((state_ >> 32) * bound) >> 32);
  }

  std::uint64_t state_;
};

/// What a sweep saw.
struct Seen {
  double gap = 0.0, violation = 0.0, primal = 0.0;
  std::int64_t moved = 0;
};

template <class Vectors>
class Descent {
 public:
  Descent(Iterate<Vectors>& at, std::uint64_t seed) : at_(at), shuffle_(seed), square_(at.visits().size()) {
    for (std::size_t k = 0; k < square_.size(); ++k) square_[k] = at.square(at.visits()[k].row);
    const wm::Problem& p = at.problem();
    terms_.reserve(p.size());
    for (Index v = 0; v < p.size(); ++v) terms_.push_back({p.linear[v], p.lower[v], p.upper[v], p.ridge_of(v)});
    if (at.has_free_bias()) {
      double sum = 0.0;
      for (const double square : square_) sum += square;
      price_ = sum / static_cast<double>(square_.size());
    }
    activate_all();
  }

  std::size_t active() const { return active_.size(); }
  bool shrunk() const { return active_.size() < square_.size(); }

  void activate_all() {
    active_.resize(square_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) active_[k] = static_cast<Index>(k);
    reserve_ = infinity;
    loss_aside_ = 0.0;
  }

  /// Improves every active variable; those that are settled are set aside if `shrinking`.
  template <class MustStop>
  Seen sweep(bool shrinking, MustStop must_stop) {
    Seen seen;
    surplus_ = at_.has_free_bias() ? at_.sum() - at_.total() : 0.0;
    shuffle_(active_);
    const std::size_t m = active_.size();
    std::size_t left = 0;
    for (std::size_t t = 0; t < m; ++t) {
      if (t % look_every == look_every - 1 && must_stop()) {
        std::copy(active_.begin() + t, active_.end(), active_.begin() + left);
        left += m - t;
        break;
      }
      if (t + 2 * ahead < m) __builtin_prefetch(&at_.visits()[active_[t + 2 * ahead]]);
      if (t + ahead < m) prepare(active_[t + ahead]);
      const Index k = active_[t];
      active_[left] = k;
      const double loss = seen.primal;
      const bool aside = improve(at_.visits()[k], square_[k], seen) && shrinking;
      if (aside) loss_aside_ += seen.primal - loss, seen.primal = loss;
      left += !aside;
    }
    active_.resize(left);
    at_.offset += price_ * surplus_;
    reserve_ = seen.violation;
    finish(seen);
    return seen;
  }

 private:
  void prepare(Index k) const {
    const Visit& visit = at_.visits()[k];
    prefetch(at_.points()[visit.row]);
    __builtin_prefetch(&terms_[visit.first]);
    __builtin_prefetch(&at_.alpha[visit.first]);
    __builtin_prefetch(&square_[k]);
  }

  /// The best values of a point's variables, the one that is not zero first; true if all seem to stay at a bound.
  bool improve(const Visit& visit, double square, Seen& seen) {
    double f = at_.value(visit.row) + at_.offset + price_ * surplus_;
    const double curvature = square + price_;
    double change = 0.0;
    bool settled = true;
    const bool swapped = visit.second >= 0 && at_.alpha[visit.second] != 0.0;
    for (const Index v : {swapped ? visit.second : visit.first, swapped ? visit.first : visit.second}) {
      if (v < 0) continue;
      const double best = best_value(v, f, curvature, settled, seen), step = best - at_.alpha[v];
      at_.alpha[v] = best;
      change += step;
      f += curvature * step;
    }
    if (change == 0.0) return settled;
    at_.add(visit.row, change);
    surplus_ += change;
    ++seen.moved;
    return settled;
  }

  double best_value(Index v, double f, double curvature, bool& settled, Seen& seen) const {
    const auto& [linear, lower, upper, ridge] = terms_[v];
    const double a = at_.alpha[v], h = linear - f, G = h - ridge * a;
    const double loss = detail::best_loss(h, ridge, lower, upper);
    seen.gap += loss - h * a + 0.5 * ridge * a * a;
    seen.primal += loss;
    if (a <= lower ? G <= 0.0 : a >= upper && G >= 0.0) {
      settled &= std::abs(G) > reserve_;
      return a;
    }
    settled = false;
    seen.violation = std::max(seen.violation, std::abs(G));
    return G == 0.0 ? a : std::clamp(a + G / (curvature + ridge), lower, upper);
  }

  void finish(Seen& seen) const {
    double norm = 0.0;
    for (const double w : at_.weights) norm += w * w;
    seen.primal += loss_aside_ + 0.5 * norm + at_.offset * at_.total();
  }

  /// What the problem says of a variable, side by side: sweeps meet variables in any order.
  struct Terms {
    double linear, lower, upper, ridge;
  };

  static constexpr std::size_t ahead = 4;

  Iterate<Vectors>& at_;
  Shuffle shuffle_;
  std::vector<double> square_;  // by visit
  std::vector<Terms> terms_;
  std::vector<Index> active_;  // visits
  double price_ = 0.0, surplus_ = 0.0, reserve_ = infinity, loss_aside_ = 0.0;
};

}  // namespace wm::linear
