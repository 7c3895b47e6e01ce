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
#include <numeric>
#include <vector>

#include "counters.hpp"
#include "gram_product.hpp"
#include "problem.hpp"
#include "row_cache.hpp"

namespace wm {

inline Slots number_rows(const Problem& problem, Index gram_rows) {
  Slots slots;
  std::vector<Index> slot_of_point(gram_rows + 1, -1);  // that of grounded variables first
  slots.of_variable.reserve(problem.size());
  for (Index v = 0; v < problem.size(); ++v) {
    Index& slot = slot_of_point[problem.point(v) + 1];
    if (slot < 0) {
      slot = slots.size();
      slots.point.push_back(problem.point(v));
    }
    slots.of_variable.push_back(slot);
  }
  return slots;
}

class Iterate {
 public:
  Iterate(const Problem& problem, const Gram& gram, std::vector<double> start, int threads, Counters& counters)
      : alpha(std::move(start)),
        gradient(problem.linear),
        problem_(problem),
        gram_(gram),
        slots_(number_rows(problem, gram.rows())),
        reference_(slots_.size(), 0.0),
        product_(slots_.size(), 0.0),
        settled_reference_(slots_.size(), 0.0),
        settled_product_(slots_.size(), 0.0),
        settled_(slots_.size(), 1),
        diagonal_(problem.size(), 0.0),
        threads_(gram.preferred_block() > 1 ? 1 : threads),
        counters_(counters) {
    const std::vector<double>& all = gram.kept_diagonal();
    for (Index v = 0; v < problem.size(); ++v)
      diagonal_[v] = (problem.grounded(v) ? 0.0 : all[problem.point(v)]) + problem.ridge_of(v);
  }

  std::vector<double> alpha;
  std::vector<double> gradient;

  const Problem& problem() const { return problem_; }
  const Gram& gram() const { return gram_; }
  const Slots& slots() const { return slots_; }
  const std::vector<double>& diagonal() const { return diagonal_; }  // of Q
  int threads() const { return threads_; }

  /// The gradient at `alpha`, from entries in Real; false if told to stop.
  template <class Real, class MustStop>
  bool start(MustStop must_stop) {
    std::vector<Index> all(slots_.size());
    std::iota(all.begin(), all.end(), Index(0));
    std::fill(reference_.begin(), reference_.end(), 0.0);
    std::fill(product_.begin(), product_.end(), 0.0);
    return update<Real>(all, must_stop);
  }

  /// What a solver knows: the gradient of these variables at `alpha`. Returns the slots it knows nothing about.
  std::vector<Index> learn(const std::vector<Index>& variables, const std::vector<double>& gradients) {
    std::vector<char> known(slots_.size(), 0);
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const Index v = variables[k], s = slots_.of_variable[v];
      known[s] = 1;
      product_[s] = problem_.linear[v] - gradients[k] - problem_.ridge_of(v) * alpha[v];
    }
    std::vector<Index> unknown;
    for (Index s = 0; s < slots_.size(); ++s)
      if (!known[s]) unknown.push_back(s);
    if (unknown.empty()) reference_ = net();
    return unknown;
  }

  /// Brings K a of these slots from the reference to `alpha`, with entries in Real, and the gradient of all. Asks
  /// `must_stop()` between blocks of rows; if it says so, returns false, and the gradient is not to be relied on.
  template <class Real, class MustStop>
  bool update(const std::vector<Index>& slots, MustStop must_stop) {
    const std::vector<double> wanted = net();
    std::vector<double> change(wanted);
    for (Index s = 0; s < slots_.size(); ++s) change[s] -= reference_[s];
    if (!slots.empty() && !add_to_product<Real>(change, slots, must_stop)) return exact_ = false;
    reference_ = wanted;
    read_gradient();
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
    const std::vector<double> believed = product_;
    std::vector<Index> known, unknown;  // since the last time, when their product was exact
    for (Index s : decisive) {
      (settled_[s] ? known : unknown).push_back(s);
      product_[s] = settled_[s] ? settled_product_[s] : 0.0;
    }
    std::vector<double> change(reference_);
    for (Index s = 0; s < slots_.size(); ++s) change[s] -= settled_reference_[s];
    if (!add_to_product<double>(change, known, must_stop) || !add_to_product<double>(reference_, unknown, must_stop)) {
      product_ = believed;
      return exact_ = false;
    }
    settled_reference_ = reference_;
    settled_product_ = product_;
    std::fill(settled_.begin(), settled_.end(), 0);
    for (Index s : decisive) settled_[s] = 1;
    for (Index s : decisive) correction_ = std::max(correction_, std::abs(product_[s] - believed[s]));
    read_gradient();
    return exact_ = true;
  }

  /// What `settle` found the gradient to be wrong by.
  double correction() const { return correction_; }

  /// Whether the KKT violation read from `gradient` is exact.
  bool exact() const { return exact_; }

  /// What a solver that was cut short while refreshing knows: the gradient of these variables, and the objective.
  struct Belief {
    std::vector<Index> variables;
    double objective;
  };
  void believe(const std::vector<Index>& variables, const std::vector<double>& gradients, double objective) {
    for (std::size_t k = 0; k < variables.size(); ++k) gradient[variables[k]] = gradients[k];
    belief_ = {variables, objective};
  }
  const Belief& belief() const { return belief_; }

  /// What rounding in single-precision rows is multiplied by, were the errors of all rows independent.
  double rounding_scale() const {
    double squared = 0.0;
    for (const double a : net()) squared += a * a;
    return std::sqrt(squared);
  }

 private:
  /// Variables that share a row of K act on it together.
  std::vector<double> net() const {
    std::vector<double> sum(slots_.size(), 0.0);
    for (Index v = 0; v < problem_.size(); ++v) sum[slots_.of_variable[v]] += alpha[v];
    return sum;
  }

  /// product[slots] += K[slots, :] weights
  template <class Real, class MustStop>
  bool add_to_product(const std::vector<double>& weights, const std::vector<Index>& slots, MustStop must_stop) {
    std::vector<Index> rows, columns, target;
    std::vector<double> row_weights;
    for (Index s = 0; s < slots_.size(); ++s)
      if (weights[s] != 0.0 && slots_.point[s] >= 0) {
        rows.push_back(slots_.point[s]);
        row_weights.push_back(weights[s]);
      }
    for (Index s : slots)
      if (slots_.point[s] >= 0) {
        columns.push_back(slots_.point[s]);
        target.push_back(s);
      }
    if (columns.empty()) return true;
    const std::size_t rows_at_once = rows_between_questions(gram_, columns.size());
    std::vector<double> sums(columns.size(), 0.0);
    for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, rows.size() - first);
      add_product<Real>(gram_, {rows.data() + first, count}, row_weights.data() + first, columns, sums.data(),
                        threads_);
      counters_.kernel_evaluations += static_cast<std::int64_t>(count * columns.size());
      if (must_stop() && first + count < rows.size()) return false;
    }
    for (std::size_t c = 0; c < target.size(); ++c) product_[target[c]] += sums[c];
    return true;
  }

  /// gradient = linear - Q alpha, with K alpha as in product_.
  void read_gradient() {
    for (Index v = 0; v < problem_.size(); ++v)
      gradient[v] = problem_.linear[v] - product_[slots_.of_variable[v]] - problem_.ridge_of(v) * alpha[v];
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
          if (alpha[v] < problem_.upper[v]) high = std::max(high, gradient[v]);
          if (alpha[v] > problem_.lower[v]) low = std::min(low, gradient[v]);
        }
        for (Index v = begin; v < end; ++v)
          // An offset lies between both extremes: what is beyond it has a loss, and counts in the primal value.
          if ((alpha[v] < problem_.upper[v] && gradient[v] >= std::min(high, low) - 2.0 * error) ||
              (alpha[v] > problem_.lower[v] && gradient[v] <= std::max(high, low) + 2.0 * error))
            decisive[slots_.of_variable[v]] = 1;
      }
      for (Index s = 0; s < slots_.size(); ++s) decisive[s] |= reference_[s] != 0.0;
    }
    std::vector<Index> slots;
    for (Index s = 0; s < slots_.size(); ++s)
      if (decisive[s]) slots.push_back(s);
    return slots;
  }

  /// Small problems; and those with infinite bounds, where the sign of every gradient decides over the primal value.
  bool all_decisive() const {
    std::size_t moved = 0;
    for (const double a : reference_) moved += a != 0.0;
    if (moved * slots_.size() <= cheap_entries) return true;
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
  std::vector<double> reference_;  // by slot: the net coefficient `product_` belongs to
  std::vector<double> product_;    // K reference
  std::vector<double> settled_reference_, settled_product_;
  std::vector<char> settled_;  // slots whose settled product is exact at the settled reference; at zero, all
  std::vector<double> diagonal_;
  int threads_;
  double correction_ = 0.0;
  bool exact_ = true;
  Belief belief_;
  Counters& counters_;
};

}  // namespace wm
