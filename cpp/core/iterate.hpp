#pragma once
// A feasible point of the whole problem and its exact gradient.
//
//   G = linear - Q a,   in double precision
//
// K a is known exactly at a reference point; to know it elsewhere only the coefficients that moved since have to be
// paid for:  K a = K reference + K (a - reference).  At a = 0 it is zero and costs nothing. Everything a run claims
// about its solution (certificate.hpp) is read from here.

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "counters.hpp"
#include "gram.hpp"
#include "parallel.hpp"
#include "problem.hpp"
#include "row_cache.hpp"

namespace wm {

inline Slots number_rows(const Problem& problem) {
  Slots slots;
  std::unordered_map<Index, Index> slot_of_point;
  slots.of_variable.reserve(problem.size());
  for (Index v = 0; v < problem.size(); ++v) {
    auto [found, fresh] = slot_of_point.try_emplace(problem.point(v), slots.size());
    if (fresh) slots.point.push_back(problem.point(v));
    slots.of_variable.push_back(found->second);
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
        slots_(number_rows(problem)),
        reference_(slots_.size(), 0.0),
        product_(slots_.size(), 0.0),
        diagonal_(problem.size(), 0.0),
        threads_(gram.preferred_block() > 1 ? 1 : threads),
        counters_(counters) {
    const std::vector<double>& all = gram.kept_diagonal();
    for (Index v = 0; v < problem.size(); ++v)
      diagonal_[v] = (problem.grounded(v) ? 0.0 : all[problem.point(v)]) + problem.ridge_of(v);
  }

  std::vector<double> alpha;
  std::vector<double> gradient;  // exact after refresh()

  const Problem& problem() const { return problem_; }
  const Gram& gram() const { return gram_; }
  const Slots& slots() const { return slots_; }
  const std::vector<double>& diagonal() const { return diagonal_; }  // of Q

  /// Makes `gradient` exact. Asks `must_stop()` between blocks of rows and returns false if it said so: the gradient is
  /// then exact for the part of the change that was paid for, and the next call pays for the rest.
  template <class MustStop>
  bool refresh(MustStop must_stop) {
    ++counters_.refreshes;
    const std::vector<double> wanted = net();
    std::vector<Index> moved;
    for (Index s = 0; s < slots_.size(); ++s)
      if (wanted[s] != reference_[s]) moved.push_back(s);
    const std::size_t rows_at_once = std::clamp<std::size_t>((std::size_t{1} << 22) / slots_.size(),
                                                             static_cast<std::size_t>(gram_.preferred_block()), 64);
    bool complete = true;
    for (std::size_t begin = 0; begin < moved.size() && complete; begin += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, moved.size() - begin);
      pay({moved.data() + begin, count}, wanted);
      complete = !must_stop() || begin + count == moved.size();
    }
    for (Index v = 0; v < problem_.size(); ++v)
      gradient[v] = problem_.linear[v] - product_[slots_.of_variable[v]] - problem_.ridge_of(v) * alpha[v];
    exact_ = complete;
    return complete;
  }

  /// Whether `gradient` is exact everywhere.
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

  /// |a - reference| max K: what rounding in single-precision rows is multiplied by.
  double rounding_scale() const {
    const std::vector<double> now = net();
    double squared = 0.0;
    for (Index s = 0; s < slots_.size(); ++s) squared += (now[s] - reference_[s]) * (now[s] - reference_[s]);
    double largest = 0.0;
    for (Index v = 0; v < problem_.size(); ++v) largest = std::max(largest, diagonal_[v] - problem_.ridge_of(v));
    return std::sqrt(squared) * largest;
  }

 private:
  /// Variables that share a row of K act on it together.
  std::vector<double> net() const {
    std::vector<double> sum(slots_.size(), 0.0);
    for (Index v = 0; v < problem_.size(); ++v) sum[slots_.of_variable[v]] += alpha[v];
    return sum;
  }

  /// product += K[:, moved] (wanted - reference)[moved];  reference[moved] = wanted[moved]
  void pay(std::span<const Index> moved, const std::vector<double>& wanted) {
    std::vector<Index> rows;
    std::vector<double> weights;
    for (Index s : moved) {
      if (slots_.point[s] >= 0) {
        rows.push_back(slots_.point[s]);
        weights.push_back(wanted[s] - reference_[s]);
      }
      reference_[s] = wanted[s];
    }
    if (rows.empty()) return;
    parallel_for(slots_.size(), threads_, [&](Index begin, Index end) {
      const Index part = gram_.preferred_block() > 1 ? end - begin : columns_at_once;
      for (Index first = begin; first < end; first += part) add(rows, weights, first, std::min(end, first + part));
    });
    counters_.kernel_evaluations += static_cast<std::int64_t>(rows.size()) * slots_.size();
  }

  /// product[begin .. end) += K[begin .. end, rows] weights
  void add(const std::vector<Index>& rows, const std::vector<double>& weights, Index begin, Index end) {
    std::vector<Index> columns, target;
    for (Index s = begin; s < end; ++s)
      if (slots_.point[s] >= 0) {
        columns.push_back(slots_.point[s]);
        target.push_back(s);
      }
    std::vector<double> sum(columns.size(), 0.0);
    gram_.accumulate(rows, weights, columns, sum.data());
    for (std::size_t c = 0; c < columns.size(); ++c) product_[target[c]] += sum[c];
  }

  static constexpr Index columns_at_once = 1024;  // a block of them is used while it is still in a near cache

  const Problem& problem_;
  const Gram& gram_;
  Slots slots_;
  std::vector<double> reference_;  // by slot: the net coefficient `product_` belongs to
  std::vector<double> product_;    // K reference
  std::vector<double> diagonal_;
  int threads_;
  bool exact_ = true;
  Belief belief_;
  Counters& counters_;
};

}  // namespace wm
