#pragma once
// The joint problem with a linear kernel, by its weights: f_k(x) = <w_k, x> + b_k,  w_k = sum_i c_ik x_i.
//
//   repeat  for each active example i:  f(x_i) from w;  alpha_i <- its exact best multipliers (block.hpp);
//                                       w <- w + (change of c_i) x_i
//   until   the largest violation is at most the tolerance, on all examples, with w made again from the multipliers
//
// A step costs N d multiplications instead of a kernel row. Everything is in double precision. A bias is the weight of
// a coordinate that is one, or of the root of s if it is free (bias.hpp) (Keerthi et al., KDD 2008, for steps on one
// example after the other; the order in which they come changes with every pass).

#include "../linear/rows.hpp"
#include "decomposition.hpp"

namespace wm::joint {

template <class Vectors>
class LinearDescent {
 public:
  LinearDescent(const Problem& problem, const Vectors& points, bool bias, const Settings& settings, Observer& observer,
                Counters& counters, Trace& trace)
      : problem_(problem),
        points_(points),
        constant_(problem.has_bias() ? std::sqrt(problem.bias_scale)
                  : bias             ? 1.0
                                     : 0.0),
        bias_(problem),
        settings_(settings),
        observer_(observer),
        counters_(counters),
        trace_(trace),
        stride_((problem.classes + lane - 1) / lane * lane),
        weights_((points.dimension + std::size_t{1}) * stride_, 0.0),
        value_(stride_),
        state_(problem) {
    std::vector<Index> all(problem.size());
    std::iota(all.begin(), all.end(), Index{0});
    state_.resize(all);
    active_ = std::move(all);
    for (Index i = 0; i < state_.size(); ++i) {
      each_coordinate(i, [&](Index, double x) { state_.diagonal[i] += x * x; });
      for (Index k = 0; k < state_.classes(); ++k)
        state_.alpha[state_.at(k, i)] = problem.start[i * std::size_t(state_.classes()) + k];
    }
  }

  /// Everything in the state is exact if it ends before somebody loses patience; see exact().
  Status run() {
    if (!refresh([&] { return told_to_stop(); })) return status_;
    double reserve = infinity;
    while (true) {
      if (violation_ <= aim_ && verified()) return status_;
      if (told_to_stop() || out_of_iterations()) return finish(status_);
      pass(reserve);
      reserve = shrunk() || violation_ > aim_ ? violation_ : infinity;
    }
  }

  Progress progress() const {
    return {counters_.iterations, violation_, objective_, static_cast<Index>(active_.size()), 0, observer_.seconds()};
  }

  const State& state() const { return state_; }
  bool exact() const { return exact_; }
  const Bias& bias() const { return bias_; }

 private:
  bool shrunk() const { return active_.size() < static_cast<std::size_t>(state_.size()); }

  bool told_to_stop() {
    return observer_.must_stop(settings_.run.stop, status_, [&] { return progress(); });
  }

  bool out_of_iterations() {
    if (!settings_.run.stop.is_exhausted(counters_.iterations)) return false;
    status_ = Status::MaxIterations;
    return true;
  }

  /// Calls body(coordinate, x) for what is written down of a point, and for the one that stands for the bias.
  template <class Body>
  WM_INLINE void each_coordinate(Index i, Body body) const {
    wm::each_coordinate(points_[problem_.point(i)], body);
    if (constant_ > 0.0) body(points_.dimension, constant_);
  }

  /// The values of all functions at an example, into the state.
  void evaluate(Index i) {
    double* const __restrict f = value_.data();
    const double* const __restrict w = weights_.data();
    const std::size_t stride = stride_;
    std::copy(bias_.values().begin(), bias_.values().end(), f);
    std::fill(f + state_.classes(), f + stride, 0.0);
    simd::on_avx2([&]() WM_INLINE_LAMBDA {
      each_coordinate(i, [&](Index j, double x) WM_INLINE_LAMBDA {
        for (std::size_t k = 0; k < stride; k += lane)
          for (std::size_t l = 0; l < lane; ++l) f[k + l] += x * w[j * stride + k + l];
      });
    });
    for (Index k = 0; k < state_.classes(); ++k) state_.value[state_.at(k, i)] = f[k];
  }

  /// w += c_i x_i
  void add(Index i, const std::vector<double>& c) {
    std::copy(c.begin(), c.end(), value_.begin());
    std::fill(value_.begin() + c.size(), value_.end(), 0.0);
    const double* const __restrict f = value_.data();
    double* const __restrict w = weights_.data();
    const std::size_t stride = stride_;
    simd::on_avx2([&]() WM_INLINE_LAMBDA {
      each_coordinate(i, [&](Index j, double x) WM_INLINE_LAMBDA {
        for (std::size_t k = 0; k < stride; k += lane)
          for (std::size_t l = 0; l < lane; ++l) w[j * stride + k + l] += x * f[k + l];
      });
    });
  }

  /// A step on every active example; those that are settled with this reserve are set aside.
  void pass(double reserve) {
    const std::int64_t m = static_cast<std::int64_t>(active_.size());
    std::vector<char> aside(m, 0);
    std::int64_t moved = 0, stride = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.618 * m) + passes_ % 7);
    while (std::gcd(stride, m) != 1) ++stride;
    double worst = 0.0;
    for (std::int64_t t = 0, at = passes_ % m; t < m; ++t, at = (at + stride) % m) {
      if (t % 16 == 15 && told_to_stop()) return;
      const Index i = active_[at];
      evaluate(i);
      const double violation = state_.scan(i);
      worst = std::max(worst, violation);
      if (settings_.run.shrinking && violation <= 0.0) aside[at] = state_.is_settled(i, reserve);
      if (violation <= negligible * aim_ || settings_.run.stop.is_exhausted(counters_.iterations)) continue;
      objective_ += state_.improve(i);
      add(i, state_.change());
      ++counters_.iterations;
      ++moved;
    }
    violation_ = worst;
    ++passes_;
    ++counters_.rounds;
    if (trace_.due(counters_.rounds))
      trace_.record(progress(), 0, active_.front(), active_.back(), {static_cast<double>(moved), 0.0, StepKind::Free});
    std::size_t left = 0;
    for (std::int64_t at = 0; at < m; ++at)
      if (!aside[at]) active_[left++] = active_[at];
    if (left == 0) return;
    if (left < active_.size()) ++counters_.shrinks;
    active_.resize(left);
  }

  void activate_all() {
    active_.resize(state_.size());
    std::iota(active_.begin(), active_.end(), Index{0});
  }

  /// Weights, values, violations and the objective from nothing but the multipliers; false if told to stop.
  template <class MustStop>
  bool refresh(MustStop must_stop) {
    exact_ = false;
    ++counters_.refreshes;
    std::fill(weights_.begin(), weights_.end(), 0.0);
    std::vector<double> c(state_.classes());
    for (Index i = 0; i < state_.size(); ++i) {
      problem_.coefficients(
          state_.label[i], [&](Index k) { return state_.alpha[state_.at(k, i)]; },
          [&](Index k, double x) { c[k] = x; });
      if (std::any_of(c.begin(), c.end(), [](double x) { return x != 0.0; })) add(i, c);
      if (i % 64 == 63 && must_stop()) return false;
    }
    for (Index i = 0; i < state_.size(); ++i) {
      evaluate(i);
      if (i % 64 == 63 && must_stop()) return false;
    }
    state_.begin();
    violation_ = state_.largest_violation();
    objective_ = state_.dual();
    return exact_ = true;
  }

  bool verified() {
    if (shrunk()) ++counters_.unshrinks;
    const bool whole = !shrunk();
    activate_all();
    const auto must_stop = [&] { return told_to_stop(); };
    if (!refresh(must_stop)) return true;
    if (violation_ <= settings_.run.stop.tolerance) {
      if (!bias_.follow(state_, settings_.run.stop.tolerance, aim_).empty()) {
        violation_ = state_.largest_violation();
        return false;
      }
      if (!balance(must_stop)) return true;
    }
    status_ = Status::Optimal;
    if (violation_ <= settings_.run.stop.tolerance) return true;
    if (!whole) return false;
    aim_ *= 0.7;  // what a pass sees of an example is gone when the pass ends
    status_ = Status::Stalled;
    return aim_ < 1e-3 * settings_.run.stop.tolerance;
  }

  Status finish(Status why) {
    const double deadline = observer_.seconds() + patience(why);
    const auto must_stop = [&] { return observer_.seconds() > deadline; };
    if (!refresh(must_stop)) return why;
    bias_.leave(state_);
    balance(must_stop);
    return why;
  }

  /// Takes out of the multipliers what keeps a bias from being free; false if told to stop.
  template <class MustStop>
  bool balance(MustStop must_stop) {
    return bias_.balance(state_.alpha).empty() || refresh(must_stop);
  }

  static constexpr std::size_t lane = 4;      // classes are padded to so many
  static constexpr double negligible = 1e-3;  // violations, relative to the aim

  const Problem& problem_;
  const Vectors& points_;
  const double constant_;
  Bias bias_;
  const Settings& settings_;
  Observer& observer_;
  Counters& counters_;
  Trace& trace_;
  const std::size_t stride_;
  std::vector<double> weights_, value_;  // weights by coordinate, then class
  State state_;
  std::vector<Index> active_;
  std::int64_t passes_ = 0;
  double violation_ = infinity, objective_ = 0.0, aim_ = (bias_.exists() ? 0.5 : 1.0) * settings_.run.stop.tolerance;
  bool exact_ = false;
  Status status_ = Status::Optimal;
};

inline Solution solve_linear(const Problem& problem, const Points& points, bool bias, const Settings& settings,
                             Observer& observer, std::int64_t trace_every) {
  Solution solution{};
  solution.trace.every = trace_every;
  std::visit(
      [&](const auto& vectors) {
        LinearDescent run(problem, vectors, bias, settings, observer, solution.counters, solution.trace);
        const Status status = run.run();
        conclude(run.state(), run.bias(), status, run.exact(), run.progress(), settings.run.stop, observer, solution);
      },
      points);
  return solution;
}

}  // namespace wm::joint
