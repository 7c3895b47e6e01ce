#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_band_factor(nb::module_& m);
void bind_deactivation(nb::module_& m);
void bind_free_set(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_online(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_threads(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of widemargin: Gram matrices and quadratic-program solvers.";
  bind_kernels(m);
  bind_solvers(m);
  bind_threads(m);
  bind_free_set(m);
  bind_deactivation(m);
  bind_joint(m);
  bind_online(m);
  bind_linear(m);
  bind_band_factor(m);
}
