#include "free_set.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "exact_block.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using wm::FreeSet;
using wm::Index;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

std::span<const double> view(const Doubles& array) { return {array.data(), array.size()}; }

Array to_numpy(std::vector<double> values) {
  auto* owned = new std::vector<double>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

/// Between two panels of a factorisation: Ctrl-C ends it.
bool interrupted() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

void make(FreeSet* self, const wm::Gram& gram, const std::vector<Index>& points, const std::vector<double>& ridge,
          std::vector<Index> group, Index groups) {
  FreeSet made(groups);
  bool complete;
  {
    nb::gil_scoped_release release;
    wm::SquareMatrix Q(points.size());
    complete = wm::exact_block(gram, points, Q, interrupted);
    for (std::size_t a = 0; a < points.size(); ++a) Q(a, a) += ridge[a];
    complete = complete && made.factorise(std::move(Q), std::move(group), interrupted);
  }
  if (!complete) throw nb::python_error();
  new (self) FreeSet(std::move(made));
}

std::pair<Array, Array> solve(FreeSet& self, const Doubles& b, const Doubles& s) {
  FreeSet::Solution x;
  {
    nb::gil_scoped_release release;
    x = self.solve(view(b), view(s));
  }
  return {to_numpy(std::move(x.d)), to_numpy(std::move(x.r))};
}

/// Stretches of right-hand sides; Ctrl-C is heard between two.
void solve_all(FreeSet& self, const Table& B, const Table& sums, const Result& d, const Result& r) {
  constexpr std::size_t columns = FreeSet::together;
  const std::size_t count = B.shape(1);
  std::vector<double> b(B.shape(0) * columns), s(sums.shape(0) * columns);
  const auto copy = [&](auto from, std::size_t from_row, auto to, std::size_t to_row, std::size_t rows,
                        std::size_t width) {
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(from + i * from_row, width, to + i * to_row);
  };
  bool complete = true;
  {
    nb::gil_scoped_release release;
    for (std::size_t first = 0; first < count && complete; first += columns) {
      const std::size_t width = std::min(columns, count - first);
      std::fill(b.begin(), b.end(), 0.0);
      std::fill(s.begin(), s.end(), 0.0);
      copy(B.data() + first, count, b.data(), columns, B.shape(0), width);
      copy(sums.data() + first, count, s.data(), columns, sums.shape(0), width);
      const FreeSet::Solution x = self.solve<columns>(b, s);
      copy(x.d.data(), columns, d.data() + first, count, B.shape(0), width);
      copy(x.r.data(), columns, r.data() + first, count, sums.shape(0), width);
      complete = !interrupted();
    }
  }
  if (!complete) throw nb::python_error();
}

Array inverse_diagonal(FreeSet& self) {
  std::vector<double> diagonal;
  {
    nb::gil_scoped_release release;
    diagonal = self.inverse_diagonal();
  }
  return to_numpy(std::move(diagonal));
}

}  // namespace

void bind_free_set(nb::module_& m) {
  nb::class_<FreeSet>(m, "FreeSet", "The linear system among free variables. Its callers check what they pass.")
      .def("__init__", &make, "gram"_a, "points"_a, "ridge"_a, "group"_a, "groups"_a)
      .def_prop_ro("groups", &FreeSet::groups)
      .def(
          "add",
          [](FreeSet& self, const Doubles& column, double diagonal, Index g) { self.add(view(column), diagonal, g); },
          "column"_a, "diagonal"_a, "group"_a)
      .def("remove", &FreeSet::remove, "position"_a)
      .def("solve", &solve, "b"_a, "s"_a)
      .def("solve_all", &solve_all, "b"_a, "s"_a, "d"_a, "r"_a)
      .def("inverse_diagonal", &inverse_diagonal)
      .def("log_determinant", &FreeSet::log_determinant);
}
