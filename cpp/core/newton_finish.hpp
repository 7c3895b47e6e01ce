#pragma once
// When to take exact steps on the free variables (exact_steps.hpp) among pair steps: when pair steps gain less for
// their work than the last round of exact steps has, as far as that cannot slow down a run by much. On easy problems
// pair steps are the better ones until the end; hard ones are soon solved by little else than exact steps.

#include "exact_steps.hpp"
#include "run.hpp"

namespace wm {

template <class Real>
class NewtonFinish {
 public:
  explicit NewtonFinish(double objective) : objective_(objective) {}

  /// Called after every pair step.
  void count_sweep(Index variables) {
    pair_work_ += work_per_variable * variables;
    stretch_work_ += work_per_variable * variables;
    ++stretch_;
  }

  /// Whether it is time to see how pair steps are doing.
  bool due() const { return stretch_ >= stretch; }

  /// Takes exact steps if they promise more for their work than pair steps and are affordable; false if not.
  bool apply(Run<Real>& run) {
    const double pair_rate = (run.objective - objective_) / stretch_work_;
    ExactSteps steps(run.state);
    const double affordable = (pair_rate < rate_ ? most : least) * pair_work_;
    const bool wanted = steps.size() >= 2 && steps.size() <= largest && steps.work() <= affordable;
    if (wanted) {
      const auto must_stop = [&] { return run.told_to_stop(); };
      const double spent = steps.improve(4.0 * affordable, must_stop);
      const double gain = steps.store(must_stop);
      run.objective += gain;
      rate_ = gain / spent;
      pair_work_ = 0.0;
    }
    objective_ = run.objective;
    stretch_work_ = 0.0;
    stretch_ = 0;
    return wanted;
  }

 private:
  static constexpr int stretch = 32;                      // pair steps
  static constexpr double work_per_variable = 8.0;        // multiplications of a pair step
  static constexpr double least = 1.0 / 8.0, most = 2.0;  // of the work of pair steps since the last round
  static constexpr Index largest = 1000;                  // variables: their factor takes megabytes beside the cache

  double objective_;        // when the stretch of pair steps began
  double rate_ = infinity;  // gain of the last round for its work
  double pair_work_ = 0.0;  // since the last round
  double stretch_work_ = 0.0;
  int stretch_ = 0;
};

}  // namespace wm
