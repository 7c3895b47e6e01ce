#pragma once
// When a run ends before it is optimal, and who is told how far it is.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "types.hpp"

namespace wm {

enum class Status { Optimal, MaxIterations, MaxTime, Stalled, Interrupted, Unbounded };

struct Progress {
  std::int64_t iteration;
  double violation, objective;
  Index active_size;
  std::int64_t kernel_evaluations;
  double seconds;
};

struct Stop {
  double tolerance = 1e-3;
  std::int64_t max_iterations = -1;  // negative: no limit
  double max_seconds = infinity;
  std::int64_t polish = 0;  // iterations spent, once the tolerance is reached, on going on to rounding

  bool is_exhausted(std::int64_t iterations) const { return max_iterations >= 0 && iterations >= max_iterations; }

  /// Iterations that a part of a run may take which would like `plenty`, after so many.
  std::int64_t left(std::int64_t iterations, std::int64_t plenty) const {
    return max_iterations < 0 ? plenty : std::min(plenty, max_iterations - iterations);
  }
};

/// Seconds that a run may still take to leave with something exact.
inline double patience(Status why) {
  return why == Status::Interrupted ? 0.02 : why == Status::MaxTime ? 0.1 : infinity;
}

/// Watches the clock; asks `report` every `interval` seconds whether to stop.
class Observer {
 public:
  using Report = std::function<bool(const Progress&)>;

  explicit Observer(Report report = {}, double interval = 0.05)
      : report_(std::move(report)), interval_(interval), next_(interval) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// True if the run must end now; `status` then says why. `progress` is only called when a report is due. An answer
  /// to stop is kept: whoever gave it is not asked again.
  template <class MakeProgress>
  bool must_stop(const Stop& stop, Status& status, MakeProgress progress) {
    const double now = seconds();
    if (report_ && !interrupted_ && now >= next_) {
      interrupted_ = report_(progress());
      next_ = seconds() + interval_;
    }
    if (interrupted_) status = Status::Interrupted;
    if (now >= stop.max_seconds) status = Status::MaxTime;
    return interrupted_ || now >= stop.max_seconds;
  }

  void report_end(const Progress& progress) {
    if (report_) report_(progress);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Report report_;
  double interval_, next_;
  bool interrupted_ = false;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace wm
