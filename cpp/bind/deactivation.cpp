#include "deactivation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

namespace nb = nanobind;
using namespace nb::literals;
using wm::Deactivation;
using wm::Index;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T, class Value = T>
std::vector<Value> to_vector(const Vector<T>& array) {
  return {array.data(), array.data() + array.size()};
}

void make(Deactivation* self, const wm::Problem& problem, const Matrix& K, const Matrix& response,
          const Vector<bool>& in_F, const Vector<double>& alpha, const Vector<double>& gradient, double offset) {
  new (self) Deactivation({problem,
                           static_cast<Index>(K.shape(0)),
                           {K.data(), K.size()},
                           {response.data(), response.size()},
                           to_vector<bool, char>(in_F),
                           to_vector(alpha),
                           to_vector(gradient),
                           offset});
}

std::tuple<double, double, Index> without(const Deactivation& self, Index point) {
  nb::gil_scoped_release release;
  const Deactivation::Held held = self.without(point);
  return {held.value, held.violation, held.breakpoints};
}

}  // namespace

void bind_deactivation(nb::module_& m) {
  nb::class_<Deactivation>(m, "Deactivation", "A solution without one of its points. Its callers check what they pass.")
      .def("__init__", &make, "problem"_a, "K"_a, "response"_a, "in_F"_a, "alpha"_a, "gradient"_a, "offset"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("without", &without, "point"_a);
}
