#pragma once
// What all solvers need at the border: arrays as spans, an observer in Python, and a solution as a dictionary.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include "solve.hpp"

namespace wm::bind {

namespace nb = nanobind;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
  return {array.data(), array.size()};
}

/// Hands a vector over to NumPy without copying its contents.
template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

/// Lets Python look at a running solver: signals every time, and the user's observer if there is one. An exception of
/// the observer ends the run and is raised afterwards; Ctrl-C ends the run and is reported with the solution.
class PythonReport {
 public:
  explicit PythonReport(nb::object observer) : observer_(std::move(observer)) {}

  bool operator()(const Progress& progress) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
      PyErr_Clear();
      interrupted = true;
      return true;
    }
    if (observer_.is_none()) return false;
    nb::object answer = observer_(progress);
    return !answer.is_none() && nb::cast<bool>(nb::bool_(answer));
  }

  bool interrupted = false;

 private:
  nb::object observer_;
};

inline nb::dict counters_dict(const Counters& c) {
  nb::dict d;
  d["iterations"] = c.iterations;
  d["rounds"] = c.rounds;
  d["kernel_evaluations"] = c.kernel_evaluations;
  d["cache_hits"] = c.cache_hits;
  d["cache_misses"] = c.cache_misses;
  d["shrinks"] = c.shrinks;
  d["unshrinks"] = c.unshrinks;
  d["refreshes"] = c.refreshes;
  d["free_steps"] = c.free_steps;
  d["clipped_steps"] = c.clipped_steps;
  d["planning_steps"] = c.planning_steps;
  d["rejected_plans"] = c.rejected_plans;
  d["recalled_pairs"] = c.recalled_pairs;
  d["fallback_selections"] = c.fallback_selections;
  d["newton_rounds"] = c.newton_rounds;
  d["double_precision"] = c.double_precision;
  d["peak_cache_bytes"] = c.peak_cache_bytes;
  return d;
}

inline nb::object trace_dict(Trace& t) {
  if (t.every == 0) return nb::none();
  nb::dict d;
  d["iteration"] = to_numpy(std::move(t.iteration));
  d["i"] = to_numpy(std::move(t.i));
  d["j"] = to_numpy(std::move(t.j));
  d["objective"] = to_numpy(std::move(t.objective));
  d["violation"] = to_numpy(std::move(t.violation));
  d["active_size"] = to_numpy(std::move(t.active_size));
  d["kernel_evaluations"] = to_numpy(std::move(t.kernel_evaluations));
  d["cache_hits"] = to_numpy(std::move(t.cache_hits));
  d["step"] = to_numpy(std::move(t.step));
  d["newton_step"] = to_numpy(std::move(t.newton_step));
  d["kind"] = to_numpy(std::move(t.kind));
  d["seconds"] = to_numpy(std::move(t.seconds));
  return d;
}

inline nb::dict solution_dict(Solution& s, bool interrupted) {
  nb::dict d;
  d["alpha"] = to_numpy(std::move(s.alpha));
  d["gradient"] = to_numpy(std::move(s.gradient));
  d["status"] = static_cast<int>(s.status);
  d["iterations"] = s.counters.iterations;
  d["seconds"] = s.seconds;
  d["dual_objective"] = s.certificate.dual;
  d["primal_objective"] = s.certificate.primal;
  d["duality_gap"] = s.certificate.gap;
  d["kkt_violation"] = s.certificate.violation;
  d["exact"] = s.exact;
  d["offsets"] = to_numpy(std::move(s.certificate.offset));
  d["offsets_low"] = to_numpy(std::move(s.certificate.offset_low));
  d["offsets_high"] = to_numpy(std::move(s.certificate.offset_high));
  d["counters"] = counters_dict(s.counters);
  d["trace"] = trace_dict(s.trace);
  d["planning_ratios"] = s.trace.every == 0 ? nb::none() : to_numpy(std::move(s.trace.planning_ratios));
  d["keyboard_interrupt"] = interrupted;
  return d;
}

}  // namespace wm::bind
