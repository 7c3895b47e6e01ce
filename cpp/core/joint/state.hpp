#pragma once
// Some examples of a problem with their multipliers and the values of all functions there: those a run is working on,
// or the few of a working set. Arrays are by class, then by position, so that a pass goes along the examples.

#include <algorithm>
#include <vector>

#include "../certificate.hpp"
#include "../simd.hpp"
#include "block.hpp"

namespace wm::joint {

class State {
 public:
  explicit State(const Problem& problem) : problem_(&problem), block_(problem), h_(problem.classes), a_(h_), c_(h_) {}

  /// Room for these examples; the caller fills in alpha, value and diagonal, then calls begin().
  void resize(std::vector<Index> examples) {
    example = std::move(examples);
    const std::size_t m = example.size();
    label.resize(m);
    price.resize(m);
    for (std::size_t e = 0; e < m; ++e) {
      label[e] = problem_->labels[example[e]];
      price[e] = problem_->price[example[e]];
    }
    for (auto* each : {&diagonal, &total, &violation}) each->assign(m, 0.0);
    for (auto* each : {&alpha, &value}) each->assign(m * problem_->classes, 0.0);
  }

  /// Those at these positions stay, the others are forgotten.
  void keep(const std::vector<Index>& positions) {
    const State all = *this;
    std::vector<Index> examples;
    for (Index e : positions) examples.push_back(all.example[e]);
    resize(std::move(examples));
    for (Index e = 0; e < size(); ++e) {
      diagonal[e] = all.diagonal[positions[e]];
      for (Index k = 0; k < classes(); ++k) {
        alpha[at(k, e)] = all.alpha[all.at(k, positions[e])];
        value[at(k, e)] = all.value[all.at(k, positions[e])];
      }
    }
    begin();
  }

  void begin() {
    std::fill(total.begin(), total.end(), 0.0);
    for (Index k = 0; k < classes(); ++k)
      for (Index e = 0; e < size(); ++e) total[e] += alpha[at(k, e)];
    scan();
  }

  Index size() const { return static_cast<Index>(example.size()); }
  Index classes() const { return problem_->classes; }
  std::size_t at(Index k, Index e) const { return static_cast<std::size_t>(k) * example.size() + e; }

  std::vector<Index> example, label;
  std::vector<double> price, diagonal, total;  // total: the sum of the multipliers of an example
  std::vector<double> violation;               // of the optimality conditions, by example; see scan()
  std::vector<double> alpha, value;            // by class and position

  /// h_ek: by how much class k misses its margin.
  double slack(Index k, Index e) const {
    return problem_->margin + value[at(k, e)] - (problem_->relative() ? value[at(label[e], e)] : 0.0);
  }

  double largest_violation() const {
    double largest = 0.0;
    for (const double each : violation) largest = std::max(largest, each);
    return largest;
  }

  /// Whether some multiplier of the example can both rise and fall.
  bool is_free(Index e) const {
    if (total[e] == 0.0) return false;
    if (problem_->one_slack() && has_rest(total[e], price[e])) return true;
    for (Index k = 0; k < classes(); ++k)
      if (const double a = alpha[at(k, e)]; a > 0.0 && a < price[e]) return true;
    return false;
  }

  /// Whether the example would not violate, and none of its multipliers be free, if its slacks changed by `reserve`.
  bool is_settled(Index e, double reserve) const {
    if (is_free(e)) return false;
    Index chosen = -1;  // with one slack per example: the class that has all
    for (Index k = 0; k < classes(); ++k)
      if (problem_->one_slack() && alpha[at(k, e)] > 0.0) chosen = k;
    const double level = chosen < 0 ? 0.0 : slack(chosen, e) - reserve;
    if (level < 0.0) return false;
    for (Index k = 0; k < classes(); ++k) {
      if (k == label[e] || k == chosen) continue;
      const double h = slack(k, e);
      if (alpha[at(k, e)] > 0.0 ? h - reserve < 0.0 : h + reserve > level) return false;
    }
    return true;
  }

  /// psi_e: what the slacks of the example are beyond what its multipliers allow. A multiplier that can rise asks for
  /// h <= 0, one that can fall for h >= 0; with one slack per example that is so for differences, the unused part of
  /// the price being one more multiplier, with h = 0.
  void scan() { problem_->one_slack() ? scan_as<true>(0, size()) : scan_as<false>(0, size()); }

  /// Likewise, of one example.
  double scan(Index e) {
    problem_->one_slack() ? scan_as<true>(e, e + 1) : scan_as<false>(e, e + 1);
    return violation[e];
  }

  double dual() const {
    double sum = 0.0;
    for (Index k = 0; k < classes(); ++k)
      for (Index e = 0; e < size(); ++e)
        if (const double a = alpha[at(k, e)]; a != 0.0) sum += 0.5 * a * (problem_->margin + slack(k, e));
    return sum;
  }

  /// What is proved if these are all examples and the values exact. Weak duality, term by term, none negative:
  /// P - D = sum_i (C_i L_i - sum_k h_ik alpha_ik).
  Certificate certify() const {
    const double value = dual(), distance = gap();
    return {value, value + distance, distance, largest_violation(), {}, {}, {}};
  }

  /// The position where a step promises most; -1 if nothing violates.
  Index most_promising() const {
    Index best = -1;
    double highest = 0.0;
    for (Index e = 0; e < size(); ++e) {
      const double promise = violation[e] * violation[e] / std::max(diagonal[e], least_curvature);
      if (promise > highest) highest = promise, best = e;
    }
    return best;
  }

  /// Gives an example its best multipliers; returns what D gains. `change()` is then the change of its coefficients.
  double improve(Index e) {
    for (Index k = 0; k < classes(); ++k) {
      h_[k] = k == label[e] ? 0.0 : slack(k, e);
      a_[k] = alpha[at(k, e)];
    }
    block_.solve(label[e], diagonal[e], price[e], h_.data(), a_.data());
    double gain = 0.0, squared = 0.0;
    total[e] = 0.0;
    for (Index k = 0; k < classes(); ++k) {
      const double now = a_[k], step = now - alpha[at(k, e)];
      gain += h_[k] * step;
      total[e] += now;
      alpha[at(k, e)] = now;
      a_[k] = step;
    }
    problem_->coefficients(label[e], [&](Index k) { return a_[k]; }, [&](Index k, double c) { c_[k] = c; });
    for (const double c : c_) squared += c * c;
    return gain - 0.5 * diagonal[e] * squared;
  }

  const std::vector<double>& change() const { return c_; }

  /// The values follow a change of coefficients of the example with this kernel row.
  template <class Real>
  void follow(const Real* row) {
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      for (Index k = 0; k < classes(); ++k) {
        const double c = c_[k];
        if (c == 0.0) continue;
        double* const __restrict f = value.data() + at(k, 0);
        const Index m = static_cast<Index>(example.size());
        for (Index e = 0; e < m; ++e) f[e] += c * static_cast<double>(row[e]);
      }
    });
  }

 private:
  static constexpr Index block_size = 256;  // examples that stay in the nearest cache during a pass
  static constexpr double least_curvature = 1e-12;

  /// Whether part of the price is unused; a sum that is the price may be rounded.
  static WM_INLINE bool has_rest(double total, double price) { return total < price * (1.0 - 1e-13); }

  double gap() const {
    double sum = 0.0;
    for (Index e = 0; e < size(); ++e) {
      double highest = 0.0;
      for (Index k = 0; k < classes(); ++k)
        if (k != label[e]) highest = std::max(highest, slack(k, e));
      if (problem_->one_slack()) sum += highest * std::max(0.0, price[e] - total[e]);
      for (Index k = 0; k < classes(); ++k) {
        if (k == label[e]) continue;
        const double h = slack(k, e), a = alpha[at(k, e)];
        sum += problem_->one_slack() ? a * (highest - h) : h > 0.0 ? h * (price[e] - a) : -h * a;
      }
    }
    return sum;
  }

  template <bool one_slack>
  void scan_as(Index begin, Index end) {
    const bool relative = problem_->relative();
    const double margin = problem_->margin;
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      double base[block_size], high[block_size], low[block_size];
      for (Index from = begin; from < end; from += block_size) {
        const Index m = std::min(block_size, end - from);
        const Index* const y = label.data() + from;
        const double* const C = price.data() + from;
        for (Index e = 0; e < m; ++e) {
          base[e] = margin - (relative ? value[at(y[e], from + e)] : 0.0);
          high[e] = 0.0;
          low[e] = one_slack && !has_rest(total[from + e], C[e]) ? infinity : 0.0;
        }
        for (Index k = 0; k < classes(); ++k) {
          const double* const f = value.data() + at(k, from);
          const double* const a = alpha.data() + at(k, from);
#pragma omp simd
          for (Index e = 0; e < m; ++e) {
            const double h = base[e] + f[e];
            const bool rises = (y[e] != k) & (one_slack | (a[e] < C[e]));
            const double up = rises ? h : 0.0, down = a[e] > 0.0 ? h : infinity;
            high[e] = up > high[e] ? up : high[e];
            low[e] = down < low[e] ? down : low[e];
          }
        }
        for (Index e = 0; e < m; ++e) violation[from + e] = one_slack ? high[e] - low[e] : std::max(high[e], -low[e]);
      }
    });
  }

  const Problem* problem_;
  Block block_;
  std::vector<double> h_, a_, c_;
};

}  // namespace wm::joint
