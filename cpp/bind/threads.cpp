#include <nanobind/nanobind.h>

#ifdef WIDEMARGIN_HAS_OPENMP
#include <omp.h>
#endif

namespace nb = nanobind;

namespace {

/// What OMP_NUM_THREADS, omp_set_num_threads and the affinity of the process allow; 0 if there is no OpenMP to ask.
/// The threads of the core are std::threads: they neither spin nor survive into a forked process in a broken state.
int openmp_threads() {
#ifdef WIDEMARGIN_HAS_OPENMP
  return omp_get_max_threads();
#else
  return 0;
#endif
}

}  // namespace

void bind_threads(nb::module_& m) {
  m.def("openmp_threads", &openmp_threads, "Threads that OpenMP would use here; 0 without OpenMP.");
}
