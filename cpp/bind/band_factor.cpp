#include "band_factor.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using wm::BandFactor;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Factors = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Lengths = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void add_squared_lengths(const Factors& lower, const Matrix& Q, const Lengths& lengths, int threads) {
  nb::gil_scoped_release release;
  const std::size_t size = lower.shape(1), width = lower.shape(2), columns = Q.shape(1);
  std::vector<BandFactor> factors;
  for (std::size_t k = 0; k < lower.shape(0); ++k)
    factors.emplace_back(lower.data() + k * size * width, size, width - 1);
  constexpr std::size_t near = BandFactor::near_columns;
  const auto strips = static_cast<wm::Index>((columns + near - 1) / near);
  wm::parallel_for(strips, threads, [&](wm::Index first, wm::Index last) {
    for (std::size_t begin = first * near; begin < last * near; begin += near)  // near from one factor to the next
      for (std::size_t k = 0; k < factors.size(); ++k)
        factors[k].add_squared_lengths(Q.data(), columns, begin, std::min(columns, begin + near),
                                       lengths.data() + k * columns);
  });
}

}  // namespace

void bind_band_factor(nb::module_& m) {
  m.def("add_squared_lengths", &add_squared_lengths, "lower"_a, "Q"_a, "lengths"_a, "threads"_a,
        "Adds the squared lengths of the columns of L^-1 Q for each triangular band matrix L, given by its columns; "
        "callers check what they pass.");
}
