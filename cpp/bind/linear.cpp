#include <nanobind/stl/optional.h>

#include "linear/solver.hpp"
#include "points_argument.hpp"
#include "solution.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wm;
using namespace wm::bind;

namespace {

nb::dict solve_linear(const Problem& given, const PyPoints& points, const std::optional<Doubles>& start,
                      const linear::Options& options, const Settings& settings, std::int64_t trace_every,
                      nb::object observer, double interval) {
  given.check(count(points.view));
  Problem problem = given;
  if (start) problem.start = view(*start);
  problem.check(count(points.view));
  PythonReport report(std::move(observer));
  Solution solution;
  {
    nb::gil_scoped_release release;
    Observer watch(std::ref(report), interval);
    solution = linear::solve(problem, points.view, options, settings.run, watch, trace_every);
  }
  nb::dict found = solution_dict(solution, report.interrupted);
  if (!solution.weights.empty()) found["weights"] = to_numpy(std::move(solution.weights));
  return found;
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<linear::Options>(m, "LinearOptions", "What a descent by weights is to do.")
      .def(
          "__init__",
          [](linear::Options* self, double constant, bool relative_gap, bool newton, std::uint64_t seed) {
            new (self) linear::Options{constant, relative_gap, newton, seed};
          },
          "constant"_a, "relative_gap"_a, "newton"_a, "seed"_a);

  m.def("solve_linear", &solve_linear, "problem"_a, "points"_a, "start"_a.noconvert().none(), "options"_a, "settings"_a,
        "trace_every"_a, "observer"_a.none(), "interval"_a,
        "Solve a problem with a linear kernel by steps on its weights.");
}
