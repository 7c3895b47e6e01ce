#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "decomposition.hpp"
#include "solution.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wm;
using namespace wm::bind;

namespace {

Problem make_problem(const Doubles& linear, const Doubles& lower, const Doubles& upper, const Doubles& start,
                     const std::optional<Doubles>& ridge, const std::optional<Indices>& points,
                     const std::vector<Index>& group_sizes) {
  Problem problem;
  problem.linear = view(linear);
  problem.lower = view(lower);
  problem.upper = view(upper);
  problem.start = view(start);
  if (ridge) problem.ridge = view(*ridge);
  if (points) problem.points = view(*points);
  problem.group_begin = {0};
  for (Index size : group_sizes) problem.group_begin.push_back(problem.group_begin.back() + size);
  return problem;
}

void check_sums(const Problem& problem, std::span<const double> start) {
  for (Index g = 0; g < problem.groups(); ++g) {
    double difference = 0.0, size = 0.0;
    for (Index v = problem.group_begin[g]; v < problem.group_begin[g + 1]; ++v) {
      difference += start[v] - problem.start[v];
      size += std::abs(start[v]) + std::abs(problem.start[v]);
    }
    if (std::abs(difference) > 1e-9 * size + 1e-12)
      throw std::invalid_argument("start must keep the sum of each group as in problem.start (group " +
                                  std::to_string(g) + ").");
  }
}

/// The same problem from another start, which must keep its sums.
Problem with_start(const Problem& problem, std::span<const double> start) {
  if (start.size() != problem.start.size()) throw std::invalid_argument("start must have one entry per variable.");
  check_sums(problem, start);
  Problem other = problem;
  other.start = start;
  return other;
}

nb::dict solve(const Problem& given, const Gram& gram, const std::optional<Doubles>& start, const Settings& settings,
               std::optional<Index> working_set_size, std::int64_t trace_every, nb::object observer, double interval) {
  if (gram.rows() != gram.columns()) throw std::invalid_argument("A solver needs a square Gram.");
  given.check(gram.rows());
  std::optional<Problem> elsewhere;
  if (start) elsewhere = with_start(given, view(*start));
  const Problem& problem = elsewhere ? *elsewhere : given;
  problem.check(gram.rows());
  PythonReport report(std::move(observer));
  Solution solution;
  {
    nb::gil_scoped_release release;
    Observer watch(std::ref(report), interval);
    solution = working_set_size ? solve_decomposition(problem, gram, *working_set_size, settings, watch, trace_every)
                                : solve_smo(problem, gram, settings, watch, trace_every);
  }
  return solution_dict(solution, report.interrupted);
}

}  // namespace

void bind_solvers(nb::module_& m) {
  nb::class_<Problem>(m, "Problem", "The quadratic program as the core sees it; it borrows the arrays.")
      .def(
          "__init__",
          [](Problem* self, const Doubles& linear, const Doubles& lower, const Doubles& upper, const Doubles& start,
             const std::optional<Doubles>& ridge, const std::optional<Indices>& points,
             const std::vector<Index>& group_sizes) {
            new (self) Problem(make_problem(linear, lower, upper, start, ridge, points, group_sizes));
          },
          "linear"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "start"_a.noconvert(),
          "ridge"_a.noconvert().none(), "points"_a.noconvert().none(), "group_sizes"_a, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 7>());

  nb::class_<Progress>(m, "Progress", "How far a running solver is.")
      .def_ro("iteration", &Progress::iteration)
      .def_ro("violation", &Progress::violation)
      .def_ro("objective", &Progress::objective)
      .def_ro("active_size", &Progress::active_size)
      .def_ro("kernel_evaluations", &Progress::kernel_evaluations)
      .def_ro("seconds", &Progress::seconds)
      .def("__repr__", [](const Progress& p) {
        return "Progress(iteration=" + std::to_string(p.iteration) + ", violation=" + std::to_string(p.violation) +
               ", objective=" + std::to_string(p.objective) + ", active_size=" + std::to_string(p.active_size) + ")";
      });

  nb::enum_<Selection>(m, "Selection")
      .value("most_violating_pair", Selection::MostViolatingPair)
      .value("second_order", Selection::SecondOrder)
      .value("greedy", Selection::Greedy)
      .value("maximum_gain", Selection::MaximumGain)
      .value("hybrid_maximum_gain", Selection::HybridMaximumGain);
  nb::enum_<GainRows::Kind>(m, "GainRows")
      .value("two_rows", GainRows::Kind::TwoRows)
      .value("one_row", GainRows::Kind::OneRow)
      .value("recent", GainRows::Kind::Recent)
      .value("whole_cache", GainRows::Kind::WholeCache);
  nb::enum_<StepName>(m, "StepName")
      .value("newton", StepName::Newton)
      .value("over_relaxed", StepName::OverRelaxed)
      .value("planning_ahead", StepName::PlanningAhead);
  nb::enum_<StopRule>(m, "StopRule").value("kkt", StopRule::Kkt).value("step", StopRule::ShortStep);
  nb::enum_<Precision>(m, "Precision")
      .value("auto", Precision::Auto)
      .value("single", Precision::Single)
      .value("double", Precision::Double);

  nb::class_<Policies>(m, "Policies", "Which published variant to run.")
      .def(nb::init<>())
      .def_rw("selection", &Policies::selection)
      .def_prop_rw(
          "gain_rows", [](const Policies& p) { return p.gain_rows.kind; },
          [](Policies& p, GainRows::Kind kind) { p.gain_rows.kind = kind; })
      .def_prop_rw(
          "gain_recent", [](const Policies& p) { return p.gain_rows.recent; },
          [](Policies& p, int recent) { p.gain_rows.recent = recent; })
      .def_rw("corner", &Policies::corner)
      .def_rw("fallback", &Policies::fallback)
      .def_rw("step", &Policies::step)
      .def_rw("factor", &Policies::factor)
      .def_rw("recent", &Policies::recent)
      .def_rw("only_after_free", &Policies::only_after_free)
      .def_rw("recall", &Policies::recall)
      .def_rw("recall_recent", &Policies::recall_recent)
      .def_rw("recall_always", &Policies::recall_always)
      .def_rw("progress", &Policies::progress);

  nb::class_<Settings>(m, "Settings", "Policies, stopping and resources of one run.")
      .def(nb::init<>())
      .def_rw("policies", &Settings::policies)
      .def_rw("precision", &Settings::precision)
      .def_rw("cache_bytes", &Settings::cache_bytes)
      .def_rw("threads", &Settings::threads)
      .def_prop_rw(
          "tolerance", [](const Settings& s) { return s.run.stop.tolerance; },
          [](Settings& s, double value) { s.run.stop.tolerance = value; })
      .def_prop_rw(
          "max_iterations", [](const Settings& s) { return s.run.stop.max_iterations; },
          [](Settings& s, std::int64_t value) { s.run.stop.max_iterations = value; })
      .def_prop_rw(
          "max_seconds", [](const Settings& s) { return s.run.stop.max_seconds; },
          [](Settings& s, double value) { s.run.stop.max_seconds = value; })
      .def_prop_rw(
          "polish", [](const Settings& s) { return s.run.stop.polish; },
          [](Settings& s, std::int64_t value) { s.run.stop.polish = value; })
      .def_prop_rw(
          "rule", [](const Settings& s) { return s.run.rule; }, [](Settings& s, StopRule rule) { s.run.rule = rule; })
      .def_prop_rw(
          "shrinking", [](const Settings& s) { return s.run.shrinking; },
          [](Settings& s, bool value) { s.run.shrinking = value; })
      .def_prop_rw(
          "newton", [](const Settings& s) { return s.run.newton; },
          [](Settings& s, bool value) { s.run.newton = value; })
      .def_prop_rw(
          "first_pair", [](const Settings& s) { return s.run.first_pair; },
          [](Settings& s, std::optional<std::pair<Index, Index>> pair) { s.run.first_pair = pair; },
          nb::for_setter(nb::arg("pair").none()));

  m.def("solve", &solve, "problem"_a, "gram"_a, "start"_a.none(), "settings"_a, "working_set_size"_a.none(),
        "trace_every"_a, "observer"_a.none(), "interval"_a,
        "Solve a problem, by decomposition if there is a `working_set_size`.");
}
