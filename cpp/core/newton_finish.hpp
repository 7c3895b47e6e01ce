#pragma once
// When to take exact steps on the free variables (free_set.hpp) among pair steps: once pair steps have cost several
// times as much. An easy problem ends before that; a hard one spends a quarter more and saves most of its iterations.

#include "free_set.hpp"
#include "run.hpp"

namespace wm {

template <class Real>
class NewtonFinish {
 public:
  /// Called after every pair step.
  void count_sweep(Index variables) { pair_work_ += work_per_variable * variables; }

  /// Takes exact steps if they are affordable; false if not.
  bool apply(Run<Real>& run) {
    FreeSet<Real> free(run.state);
    const double update = static_cast<double>(free.size()) * run.state.size();
    const double budget = share * pair_work_ - newton_work_ - update;
    if (free.size() < 2 || free.size() > largest || free.work() > budget) return false;
    newton_work_ += update + free.improve(budget, [&] { return run.told_to_stop(); });
    run.objective += free.store(run.state);
    return true;
  }

 private:
  static constexpr double work_per_variable = 8.0;  // operations of a pair step
  static constexpr double share = 0.25;             // of the work of pair steps
  static constexpr Index largest = 600;             // one factorisation stays within the time a Ctrl-C may wait

  double pair_work_ = 0.0, newton_work_ = 0.0;
};

}  // namespace wm
