#include <nanobind/nanobind.h>

#include "gram.hpp"

namespace nb = nanobind;

void bind_kernels(nb::module_& m) { nb::class_<wm::Gram>(m, "Gram", "A kernel matrix seen by blocks of rows."); }
