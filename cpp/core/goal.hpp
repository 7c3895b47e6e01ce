#pragma once
// The violation a run has to reach: the tolerance asked for, then, if polishing was asked for too, one of rounding
// size; and what it makes of verifications that fail.

#include <algorithm>
#include <limits>

#include "observer.hpp"

namespace wm {

class Goal {
 public:
  explicit Goal(const Stop& stop, double hair = 1e-11) : stop_(stop), hair_(hair) {}

  double tolerance() const { return tolerance_; }

  /// What to reach before looking at everything in double: less than the tolerance where rounding has deceived.
  double aim() const { return tolerance_ - deception_; }

  /// Goes on to a violation of rounding size if that was asked for; false if it is done or not wanted. A start that
  /// was good enough is left as it is.
  bool polish(std::int64_t iterations) {
    if (polished_ || stop_.polish <= 0 || iterations == 0) return false;
    polished_ = true;
    aim_at(hair_);
    polish_end_ = iterations + stop_.polish;
    return true;
  }

  /// The violation goes up and down: after the last step of polishing the tolerance asked for may have to be met again.
  void end_polish_if_due(std::int64_t iterations) {
    if (iterations < polish_end_) return;
    aim_at(stop_.tolerance);
    polish_end_ = never;
  }

  /// What ends the polishing of a solution that is good enough does not make it worse.
  Status outcome(Status status, double violation) const {
    return polish_end_ != never && violation <= stop_.tolerance ? Status::Optimal : status;
  }

  /// Whether more than `often` verifications have failed with hardly a smaller violation than the best of them.
  bool in_vain(double violation, int often) { return violation > 0.5 * least_ && ++stalls_ > often; }

  /// A verification has failed, and found the gradient to be wrong by `error`.
  void missed(double violation, double error) {
    least_ = std::min(least_, violation);
    deception_ = std::min(0.5 * tolerance_, error);
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  void aim_at(double tolerance) {
    tolerance_ = tolerance;
    deception_ = 0.0;
  }

  const Stop& stop_;
  const double hair_;
  double tolerance_ = stop_.tolerance, deception_ = 0.0, least_ = infinity;
  std::int64_t polish_end_ = never;
  bool polished_ = false;
  int stalls_ = 0;
};

}  // namespace wm
