#pragma once
// A feasible point of the whole problem and its gradient.
//
//   G = linear - Q a
//
// K a is known at a reference point; to know it elsewhere only the coefficients that moved since have to be paid for:
// K a = K reference + K (a - reference).  At a = 0 it is zero and costs nothing.
//
// Solvers maintain K a from rows that may be rounded to single precision. What such a gradient may be wrong by is known
// (rounding of an entry times the way the coefficients have gone), so the variables that may decide over optimality are
// known, too: those within that error of an extreme gradient. Their gradient, and that of all with a coefficient, is
// computed again in double from nothing but a (`settle`). This makes KKT violation and objectives exact: what is left
// are variables at zero that want to stay there. Everything a run claims (certificate.hpp) is read from here.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "counters.hpp"
#include "gram_product.hpp"
#include "problem.hpp"
#include "slots.hpp"

namespace wm {

/// Numbers by slot, ascending.
struct Entries {
  std::vector<Index> slots;
  std::vector<double> values;

  void append(Index slot, double value) {
    slots.push_back(slot);
    values.push_back(value);
  }

  /// The difference, where it is not zero.
  Entries minus(const Entries& other) const {
    Entries difference;
    for (std::size_t a = 0, b = 0; a < slots.size() || b < other.slots.size();) {
      const Index here = a < slots.size() ? slots[a] : std::numeric_limits<Index>::max();
      const Index there = b < other.slots.size() ? other.slots[b] : std::numeric_limits<Index>::max();
      const double value = (here <= there ? values[a] : 0.0) - (there <= here ? other.values[b] : 0.0);
      if (value != 0.0) difference.append(std::min(here, there), value);
      a += here <= there;
      b += there <= here;
    }
    return difference;
  }
};

class Iterate {
 public:
  Iterate(const Problem& problem, const Gram& gram, std::vector<double> start, int threads, Counters& counters)
      : alpha(std::move(start)),
        problem_(problem),
        gram_(gram),
        slots_(problem, gram.rows()),
        product_(slots_.size(), 0.0),
        kernel_diagonal_(gram.kept_diagonal()),
        threads_(gram.preferred_block() > 1 ? 1 : threads),
        counters_(counters) {}

  std::vector<double> alpha;

  const Problem& problem() const { return problem_; }
  const Gram& gram() const { return gram_; }
  const Slots& slots() const { return slots_; }
  int threads() const { return threads_; }

  /// Q_vv.
  double diagonal(Index v) const {
    if (problem_.grounded(v)) return problem_.ridge_of(v);
    return kernel_diagonal_[kernel_diagonal_.size() == 1 ? 0 : problem_.point(v)] + problem_.ridge_of(v);
  }

  /// G_v = linear_v - (Q alpha)_v.
  double gradient(Index v) const {
    return problem_.linear[v] - product_[slots_.of(v)] - problem_.ridge_of(v) * alpha[v];
  }
  std::vector<double> gradient() const {
    std::vector<double> all(problem_.size());
    for (Index v = 0; v < problem_.size(); ++v) all[v] = gradient(v);
    return all;
  }

  /// The gradient at `alpha`, from entries in Real; false if told to stop.
  template <class Real, class MustStop>
  bool start(MustStop must_stop) {
    reference_ = {};
    std::fill(product_.begin(), product_.end(), 0.0);
    return update<Real>(slots_without({}), must_stop);
  }

  /// What a solver knows: the gradient of these variables at `alpha`. Returns the slots it knows nothing about.
  template <class Sum>
  std::vector<Index> learn(const std::vector<Index>& variables, const std::vector<Sum>& gradients) {
    std::vector<char> known(slots_.size(), 0);
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const Index v = variables[k], s = slots_.of(v);
      if (slots_.grounded(s)) continue;
      known[s] = 1;
      product_[s] = problem_.linear[v] - double(gradients[k]) - problem_.ridge_of(v) * alpha[v];
    }
    std::vector<Index> unknown = slots_without(known);
    if (unknown.empty()) reference_ = net();
    return unknown;
  }

  /// Brings K a of these slots from the reference to `alpha`, with entries in Real, and the gradient with it. Asks
  /// `must_stop()` between blocks of rows; if it says so, returns false, and the gradient is not to be relied on.
  template <class Real, class MustStop>
  bool update(std::vector<Index> slots, MustStop must_stop) {
    Entries wanted = net();
    if (const Entries change = wanted.minus(reference_); !slots.empty() && !change.slots.empty()) {
      Entries added{{}, std::vector<double>(slots.size(), 0.0)};
      added.slots = std::move(slots);
      if (!add_products<Real>(change, added, must_stop)) return exact_ = false;
      for (std::size_t s = 0; s < added.slots.size(); ++s) product_[added.slots[s]] += added.values[s];
    }
    reference_ = std::move(wanted);
    return true;
  }

  /// Computes the gradient in double wherever it counts, if it may be wrong by `error` now. Returns false if told to
  /// stop.
  template <class MustStop>
  bool settle(double error, MustStop must_stop) {
    ++counters_.refreshes;
    correction_ = 0.0;
    if (error == 0.0) return exact_ = true;
    const std::vector<Index> decisive = decisive_slots(error);
    Entries known, unknown;  // since the last time, when their product was exact
    std::size_t next = 0;
    for (Index s : decisive) {
      while (next < settled_.slots.size() && settled_.slots[next] < s) ++next;
      if (next < settled_.slots.size() && settled_.slots[next] == s)
        known.append(s, settled_.values[next]);
      else
        unknown.append(s, 0.0);
    }
    if (!add_products<double>(reference_.minus(settled_at_), known, must_stop) ||
        !add_exact_products(unknown, must_stop))
      return exact_ = false;
    for (const Entries* exact : {&known, &unknown})
      for (std::size_t k = 0; k < exact->slots.size(); ++k) {
        double& product = product_[exact->slots[k]];
        correction_ = std::max(correction_, std::abs(exact->values[k] - product));
        product = exact->values[k];
      }
    settled_at_ = reference_;
    settled_ = {};
    for (Index s : decisive) settled_.append(s, product_[s]);
    return exact_ = true;
  }

  /// What `settle` found the gradient to be wrong by.
  double correction() const { return correction_; }

  /// Whether the KKT violation read from `gradient` is exact.
  bool exact() const { return exact_; }

  /// What a solver that was cut short while refreshing knows: of which variables it has told the gradient, and the
  /// objective.
  struct Belief {
    std::vector<Index> variables;
    double objective;
  };
  void believe(const std::vector<Index>& variables, double objective) { belief_ = {variables, objective}; }
  const Belief& belief() const { return belief_; }

  /// What rounding of entries in this precision does to the gradient, about, were the errors of all rows independent.
  double rounding(Arithmetic precision) const {
    constexpr double mean_of_largest = 0.03;  // measured: errors of entries are mostly far from their bound
    double squared = 0.0;
    for (const double a : net().values) squared += a * a;
    return mean_of_largest * gram_.rounding(precision) * std::sqrt(squared);
  }

 private:
  /// Variables that share a row of K act on it together; grounded ones do not.
  Entries net() const {
    std::vector<double> sums;
    if (slots_.shared()) {
      sums.assign(slots_.size(), 0.0);
      for (Index v = 0; v < problem_.size(); ++v) sums[slots_.of(v)] += alpha[v];
    }
    const std::vector<double>& by_slot = slots_.shared() ? sums : alpha;
    Entries entries;
    for (Index s = 0; s < slots_.size(); ++s)
      if (by_slot[s] != 0.0 && !slots_.grounded(s)) entries.append(s, by_slot[s]);
    return entries;
  }

  /// All slots but these (marked by slot) and the grounded one, whose product is zero.
  std::vector<Index> slots_without(const std::vector<char>& marked) const {
    std::vector<Index> others;
    for (Index s = 0; s < slots_.size(); ++s)
      if ((marked.empty() || !marked[s]) && !slots_.grounded(s)) others.push_back(s);
    return others;
  }

  /// sums.values += K[sums.slots, :] weights
  template <class Real, class MustStop>
  bool add_products(const Entries& weights, Entries& sums, MustStop must_stop) {
    if (sums.slots.empty()) return true;
    std::vector<Index> row_room, column_room;
    const std::span<const Index> rows = slots_.points(weights.slots, row_room);
    const std::span<const Index> columns = slots_.points(sums.slots, column_room);
    const std::size_t rows_at_once = rows_between_questions(gram_, columns.size());
    for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, rows.size() - first);
      add_product<Real>(gram_, rows.subspan(first, count), weights.values.data() + first, columns, sums.values.data(),
                        threads_);
      counters_.kernel_evaluations += static_cast<std::int64_t>(count * columns.size());
      if (must_stop() && first + count < rows.size()) return false;
    }
    return true;
  }

  /// sums.values += K[sums.slots, :] reference, in double; if it is about all slots of the reference, by symmetry.
  template <class MustStop>
  bool add_exact_products(Entries& sums, MustStop must_stop) {
    Entries others;
    std::vector<std::size_t> own, foreign;  // places in `sums`
    for (std::size_t k = 0, next = 0; k < sums.slots.size(); ++k) {
      while (next < reference_.slots.size() && reference_.slots[next] < sums.slots[k]) ++next;
      const bool has_coefficient = next < reference_.slots.size() && reference_.slots[next] == sums.slots[k];
      (has_coefficient ? own : foreign).push_back(k);
      if (!has_coefficient) others.append(sums.slots[k], 0.0);
    }
    if (own.size() < reference_.slots.size() || gram_.stored(Arithmetic::Double))
      return add_products<double>(reference_, sums, must_stop);
    if (!add_products<double>(reference_, others, must_stop)) return false;
    std::vector<Index> room;
    const std::span<const Index> points = slots_.points(reference_.slots, room);
    std::vector<double> mutual(points.size(), 0.0);
    if (!add_symmetric_product<double>(gram_, points, reference_.values.data(), mutual.data(), threads_, must_stop))
      return false;
    counters_.kernel_evaluations += static_cast<std::int64_t>(points.size() * (points.size() + 1) / 2);
    for (std::size_t k = 0; k < own.size(); ++k) sums.values[own[k]] = mutual[k];
    for (std::size_t k = 0; k < foreign.size(); ++k) sums.values[foreign[k]] = others.values[k];
    return true;
  }

  std::vector<Index> decisive_slots(double error) const {
    std::vector<char> decisive(slots_.size(), 0);
    if (all_decisive()) {
      std::fill(decisive.begin(), decisive.end(), 1);
    } else {
      for (Index g = 0; g < problem_.groups(); ++g) {
        const Index begin = problem_.group_begin[g], end = problem_.group_begin[g + 1];
        double high = -infinity, low = infinity;
        for (Index v = begin; v < end; ++v) {
          if (alpha[v] < problem_.upper[v]) high = std::max(high, gradient(v));
          if (alpha[v] > problem_.lower[v]) low = std::min(low, gradient(v));
        }
        for (Index v = begin; v < end; ++v)
          // An offset lies between both extremes: what is beyond it has a loss, and counts in the primal value.
          if ((alpha[v] < problem_.upper[v] && gradient(v) >= std::min(high, low) - 2.0 * error) ||
              (alpha[v] > problem_.lower[v] && gradient(v) <= std::max(high, low) + 2.0 * error))
            decisive[slots_.of(v)] = 1;
      }
      for (Index s : reference_.slots) decisive[s] = 1;
    }
    std::vector<Index> slots;
    for (Index s = 0; s < slots_.size(); ++s)
      if (decisive[s] && !slots_.grounded(s)) slots.push_back(s);
    return slots;
  }

  /// Small problems; and those with infinite bounds, where the sign of every gradient decides over the primal value.
  bool all_decisive() const {
    if (reference_.slots.size() * slots_.size() <= cheap_entries) return true;
    for (Index v = 0; v < problem_.size(); ++v)
      if (problem_.ridge_of(v) == 0.0 && !problem_.grounded(v) &&
          (std::isinf(problem_.lower[v]) || std::isinf(problem_.upper[v])))
        return true;
    return false;
  }

  static constexpr std::size_t cheap_entries = std::size_t{1} << 17;

  const Problem& problem_;
  const Gram& gram_;
  Slots slots_;
  Entries reference_;             // the net coefficients `product_` belongs to
  std::vector<double> product_;   // K reference, by slot
  Entries settled_, settled_at_;  // K a where it was exact the last time, and the net coefficients then
  std::span<const double> kernel_diagonal_;
  int threads_;
  double correction_ = 0.0;
  bool exact_ = true;
  Belief belief_;
  Counters& counters_;
};

}  // namespace wm
