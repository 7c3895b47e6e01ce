#pragma once
// A feasible point of the whole problem with the values of its functions.
//
// As in the two-class iterate: values are known at reference coefficients, and to know them elsewhere only what moved
// since has to be paid for; wherever rounding in the rows could decide over optimality they are computed again in
// double (`settle`).

#include "../counters.hpp"
#include "../gram_product.hpp"
#include "../slots.hpp"
#include "bias.hpp"

namespace wm::joint {

class Iterate {
 public:
  Iterate(const Problem& problem, const Gram& gram, int threads, Counters& counters)
      : problem_(problem),
        gram_(gram),
        slots_(problem.size(), problem.points, gram.rows()),
        threads_(gram.preferred_block() > 1 ? 1 : threads),
        counters_(counters),
        alpha(entries()),
        value(entries(), 0.0),
        bias(problem),
        reference_(entries(), 0.0),
        exact_value_(entries(), 0.0),
        exact_at_(entries(), 0.0),
        has_exact_(problem.size(), 0) {
    for (Index i = 0; i < n(); ++i)
      for (Index k = 0; k < problem.classes; ++k) alpha[at(k, i)] = problem.start[i * problem.classes + k];
  }

  const Problem& problem() const { return problem_; }
  const Gram& gram() const { return gram_; }
  const Slots& slots() const { return slots_; }
  int threads() const { return threads_; }
  Index n() const { return problem_.size(); }
  std::size_t at(Index k, Index i) const { return static_cast<std::size_t>(k) * n() + i; }
  std::size_t entries() const { return static_cast<std::size_t>(problem_.classes) * problem_.size(); }

  double diagonal(Index i) const {
    const auto all = gram_.kept_diagonal();
    return all[all.size() == 1 ? 0 : problem_.point(i)];
  }

  double slack(Index k, Index i) const {
    return problem_.margin + value[at(k, i)] - (problem_.relative() ? value[at(problem_.labels[i], i)] : 0.0);
  }

 private:
  const Problem& problem_;
  const Gram& gram_;
  Slots slots_;
  int threads_;
  Counters& counters_;

 public:
  std::vector<double> alpha, value;  // by class and example; the values with the bias
  Bias bias;

  /// The bias has moved, and the values go with it.
  void shift(const std::vector<double>& way) {
    for (Index k = 0; k < static_cast<Index>(way.size()); ++k)
      for (Index i = 0; i < n(); ++i) value[at(k, i)] += way[k];
  }

  /// The values at `alpha` from entries in Real, all of them; false if told to stop.
  template <class Real, class MustStop>
  bool start(MustStop must_stop) {
    std::fill(reference_.begin(), reference_.end(), 0.0);
    for (Index k = 0; k < problem_.classes; ++k) std::fill_n(value.begin() + at(k, 0), n(), bias[k]);
    std::vector<Index> all(n());
    std::iota(all.begin(), all.end(), Index{0});
    return update<Real>(all, must_stop);
  }

  /// All values are those of `alpha`.
  void refer() { reference_ = coefficients(); }

  /// Brings the values of these examples from the reference to `alpha`; those of all others are there already.
  template <class Real, class MustStop>
  bool update(const std::vector<Index>& examples, MustStop must_stop) {
    std::vector<double> wanted = coefficients(), sums(examples.size() * problem_.classes, 0.0);
    if (!add_values<Real>(wanted, reference_, examples, sums, must_stop)) return exact_ = false;
    for (Index k = 0; k < problem_.classes; ++k)
      for (std::size_t e = 0; e < examples.size(); ++e) value[at(k, examples[e])] += sums[k * examples.size() + e];
    reference_ = std::move(wanted);
    return true;
  }

  /// Computes the values in double wherever they count, if they may be wrong by `error` now; false if told to stop.
  template <class MustStop>
  bool settle(double error, MustStop must_stop) {
    ++counters_.refreshes;
    correction_ = 0.0;
    std::vector<double> now = coefficients();
    const std::vector<double> nothing(entries(), 0.0);
    std::vector<Index> known, unknown;  // since the last time
    for (Index i = 0; i < n(); ++i)
      if (is_decisive(i, error)) (has_exact_[i] ? known : unknown).push_back(i);
    std::vector<double> of_known, of_unknown(unknown.size() * problem_.classes, 0.0);
    for (Index k = 0; k < problem_.classes; ++k)
      for (Index i : known) of_known.push_back(exact_value_[at(k, i)]);
    if (!add_values<double>(now, exact_at_, known, of_known, must_stop) ||
        !add_values<double>(now, nothing, unknown, of_unknown, must_stop))
      return exact_ = false;
    std::fill(has_exact_.begin(), has_exact_.end(), 0);
    for (const auto& [examples, values] : {std::pair{&known, &of_known}, std::pair{&unknown, &of_unknown}})
      for (std::size_t e = 0; e < examples->size(); ++e) {
        const Index i = (*examples)[e];
        has_exact_[i] = 1;
        for (Index k = 0; k < problem_.classes; ++k) {
          const double exact = exact_value_[at(k, i)] = (*values)[k * examples->size() + e];
          correction_ = std::max(correction_, std::abs(exact + bias[k] - value[at(k, i)]));
          value[at(k, i)] = exact + bias[k];
        }
      }
    exact_at_ = std::move(now);
    return exact_ = true;
  }

  /// What `settle` found the values to be wrong by.
  double correction() const { return correction_; }
  bool exact() const { return exact_; }

 private:
  std::vector<double> coefficients() const {
    std::vector<double> c(entries());
    for (Index i = 0; i < n(); ++i)
      problem_.coefficients(
          problem_.labels[i], [&](Index k) { return alpha[at(k, i)]; }, [&](Index k, double x) { c[at(k, i)] = x; });
    return c;
  }

  /// With a multiplier or a loss that is not zero, as far as one can tell.
  bool is_decisive(Index i, double error) const {
    for (Index k = 0; k < problem_.classes; ++k)
      if (k != problem_.labels[i] && (alpha[at(k, i)] != 0.0 || slack(k, i) >= -2.0 * error)) return true;
    return false;
  }

  /// sums += K[examples, :] (to - from), by class.
  template <class Real, class MustStop>
  bool add_values(const std::vector<double>& to, const std::vector<double>& from, const std::vector<Index>& examples,
                  std::vector<double>& sums, MustStop must_stop) {
    if (examples.empty()) return true;
    const Index N = problem_.classes;
    std::vector<Index> moved, room;
    for (Index i = 0; i < n(); ++i)
      for (Index k = 0; k < N; ++k)
        if (to[at(k, i)] != from[at(k, i)]) {
          moved.push_back(i);
          break;
        }
    const std::span<const Index> columns = slots_.points(examples, room);
    const std::size_t at_once = rows_between_questions(gram_, columns.size(), N);
    std::vector<Index> some, rows_room;
    std::vector<double> weights;
    for (std::size_t first = 0; first < moved.size(); first += at_once) {
      some.assign(moved.begin() + first, moved.begin() + std::min(moved.size(), first + at_once));
      weights.clear();
      for (Index k = 0; k < N; ++k)
        for (Index i : some) weights.push_back(to[at(k, i)] - from[at(k, i)]);
      add_products<Real>(gram_, slots_.points(some, rows_room), weights.data(), columns, sums.data(), threads_, N,
                         examples.size());
      counters_.kernel_evaluations += static_cast<std::int64_t>(some.size() * columns.size());
      if (must_stop() && first + at_once < moved.size()) return false;
    }
    return true;
  }

  std::vector<double> reference_;               // the coefficients that `value` belongs to
  std::vector<double> exact_value_, exact_at_;  // values where they were exact the last time; the coefficients then
  std::vector<char> has_exact_;
  double correction_ = 0.0;
  bool exact_ = true;
};

}  // namespace wm::joint
