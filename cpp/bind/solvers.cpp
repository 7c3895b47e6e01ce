#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_solvers(nb::module_&) {}
