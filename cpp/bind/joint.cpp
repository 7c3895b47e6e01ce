#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "joint/linear.hpp"
#include "points_argument.hpp"
#include "solution.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wm;
using namespace wm::bind;

namespace {

joint::Problem make_problem(const Indices& labels, const Doubles& price, const Doubles& start,
                            const std::optional<Indices>& points, Index classes, double margin, joint::Loss loss,
                            const std::optional<Doubles>& bias, double bias_scale) {
  joint::Problem problem{view(labels), view(price), view(start), {}, classes, margin, loss};
  if (points) problem.points = view(*points);
  if (bias) problem.bias = view(*bias), problem.bias_scale = bias_scale;
  return problem;
}

nb::dict solve_joint(const joint::Problem& problem, const Gram& gram, Index size, const Settings& settings,
                     std::int64_t trace_every, nb::object observer, double interval) {
  if (gram.rows() != gram.columns()) throw std::invalid_argument("A solver needs a square Gram.");
  problem.check(gram.rows());
  PythonReport report(std::move(observer));
  Solution solution;
  {
    nb::gil_scoped_release release;
    Observer watch(std::ref(report), interval);
    solution = joint::solve(problem, gram, size, settings, watch, trace_every);
  }
  return solution_dict(solution, report.interrupted);
}

nb::dict solve_joint_linear(const joint::Problem& problem, const PyPoints& points, bool bias, const Settings& settings,
                            std::int64_t trace_every, nb::object observer, double interval) {
  problem.check(count(points.view));
  PythonReport report(std::move(observer));
  Solution solution;
  {
    nb::gil_scoped_release release;
    Observer watch(std::ref(report), interval);
    solution = joint::solve_linear(problem, points.view, bias, settings, watch, trace_every);
  }
  return solution_dict(solution, report.interrupted);
}

/// For tests of the step on one example.
nb::object best_multipliers(joint::Loss loss, Index label, double curvature, double price, const Doubles& slack,
                            const Doubles& alpha) {
  joint::Problem problem{{}, {}, {}, {}, static_cast<Index>(slack.size()), 1.0, loss};
  std::vector<double> best(alpha.data(), alpha.data() + alpha.size());
  joint::Block(problem).solve(label, curvature, price, slack.data(), best.data());
  return to_numpy(std::move(best));
}

}  // namespace

void bind_joint(nb::module_& m) {
  nb::enum_<joint::Loss>(m, "JointLoss")
      .value("relative_sum", joint::Loss::RelativeSum)
      .value("relative_largest", joint::Loss::RelativeLargest)
      .value("absolute_sum", joint::Loss::AbsoluteSum);

  nb::class_<joint::Problem>(m, "JointProblem", "A program of several classes at once; it borrows the arrays.")
      .def(
          "__init__",
          [](joint::Problem* self, const Indices& labels, const Doubles& price, const Doubles& start,
             const std::optional<Indices>& points, Index classes, double margin, joint::Loss loss,
             const std::optional<Doubles>& bias, double bias_scale) {
            new (self)
                joint::Problem(make_problem(labels, price, start, points, classes, margin, loss, bias, bias_scale));
          },
          "labels"_a.noconvert(), "price"_a.noconvert(), "start"_a.noconvert(), "points"_a.noconvert().none(),
          "classes"_a, "margin"_a, "loss"_a, "bias"_a.noconvert().none(), "bias_scale"_a, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 9>());

  m.def("solve_joint", &solve_joint, "problem"_a, "gram"_a, "size"_a, "settings"_a, "trace_every"_a,
        "observer"_a.none(), "interval"_a, "Solve a program of several classes at once by working sets of examples.");
  m.def("solve_joint_linear", &solve_joint_linear, "problem"_a, "points"_a, "bias"_a, "settings"_a, "trace_every"_a,
        "observer"_a.none(), "interval"_a,
        "Solve a program of several classes at once with a linear kernel by steps on its weights.");
  m.def("best_multipliers", &best_multipliers, "loss"_a, "label"_a, "curvature"_a, "price"_a, "slack"_a.noconvert(),
        "alpha"_a.noconvert(), "The best multipliers of one example, all others being fixed.");
}
