#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <vector>

#include "callback_gram.hpp"
#include "gram.hpp"
#include "gram_product.hpp"
#include "kernels/combine.hpp"
#include "kernels/dot.hpp"
#include "kernels/gaussian.hpp"
#include "kernels/laplacian.hpp"
#include "kernels/precomputed.hpp"
#include "kernels/rounded_table.hpp"
#include "kernels/triangle.hpp"
#include "points.hpp"
#include "points_argument.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using wm::bind::PyPoints;

using wm::Index;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indices = Vector<Index>;
template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::c_contig>;

/// A fresh numpy array, its memory owned by Python.
template <class T>
NewArray<T> new_array(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  T* data = new T[size];
  return {data, shape, nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); })};
}

std::span<const Index> checked(const Indices& indices, Index bound, const char* name) {
  const std::span<const Index> span(indices.data(), indices.size());
  for (const Index i : span)
    if (i < 0 || i >= bound)
      throw nb::value_error((std::string(name) + " must lie between 0 and " + std::to_string(bound - 1) + ", found " +
                             std::to_string(i) + ".")
                                .c_str());
  return span;
}

template <class T>
NewArray<T> block(const wm::Gram& gram, const Indices& which, const Indices& columns) {
  const auto rows_asked = checked(which, gram.rows(), "which");
  const auto columns_asked = checked(columns, gram.columns(), "columns");
  auto out = new_array<T>({rows_asked.size(), columns_asked.size()});
  {
    nb::gil_scoped_release released;
    gram.block(rows_asked, columns_asked, out.data());
  }
  return out;
}

template <class T>
using Room = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void fill(const wm::Gram& gram, const Indices& which, const Indices& columns, Room<T> out) {
  const auto rows_asked = checked(which, gram.rows(), "which");
  const auto columns_asked = checked(columns, gram.columns(), "columns");
  if (out.shape(0) != rows_asked.size() || out.shape(1) != columns_asked.size())
    throw nb::value_error("out must have a row for each of which and a column for each of columns.");
  nb::gil_scoped_release released;
  gram.block(rows_asked, columns_asked, out.data());
}

NewArray<double> accumulated(const wm::Gram& gram, const Indices& which, const Vector<double>& weights,
                             const Indices& columns, bool single, int threads) {
  const auto rows_asked = checked(which, gram.rows(), "which");
  const auto columns_asked = checked(columns, gram.columns(), "columns");
  if (weights.size() != rows_asked.size()) throw nb::value_error("There must be a weight for each row.");
  auto out = new_array<double>({columns_asked.size()});
  std::fill_n(out.data(), columns_asked.size(), 0.0);
  {
    nb::gil_scoped_release released;
    const auto add = single ? wm::add_product<float> : wm::add_product<double>;
    add(gram, rows_asked, weights.data(), columns_asked, out.data(), threads);
  }
  return out;
}

/// out = exp(-gamma distances), entry by entry.
void decay(const Matrix<float>& distances, double gamma,
           nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
  if (out.shape(0) != distances.shape(0) || out.shape(1) != distances.shape(1))
    throw nb::value_error("distances and out must have the same shape.");
  nb::gil_scoped_release released;
  wm::Decay{gamma}(distances.data(), out.size(), out.data());
}

NewArray<double> diagonal(const wm::Gram& gram) {
  if (gram.rows() != gram.columns()) throw nb::value_error("Only a square Gram has a diagonal.");
  auto out = new_array<double>({std::size_t(gram.rows())});
  {
    nb::gil_scoped_release released;
    gram.diagonal(out.data());
  }
  return out;
}

/// SciPy's functions, as its Cython modules export them.
void bind_blas(nb::module_& m) {
  m.def(
      "use_blas",
      [](nb::capsule sgemm, nb::capsule dgemm) {
        wm::blas::gemm<float> = reinterpret_cast<wm::blas::Gemm<float>>(sgemm.data());
        wm::blas::gemm<double> = reinterpret_cast<wm::blas::Gemm<double>>(dgemm.data());
      },
      "sgemm"_a, "dgemm"_a, "Hand over the matrix products of SciPy's BLAS.");
}

void bind_gram(nb::module_& m) {
  nb::class_<wm::Gram>(m, "Gram", "A kernel matrix seen by blocks of rows.")
      .def_prop_ro(
          "shape", [](const wm::Gram& g) { return std::pair(g.rows(), g.columns()); }, "Numbers of rows and columns.")
      .def("block", &block<double>, "which"_a.noconvert(), "columns"_a.noconvert(),
           "The entries K[which, columns] in double precision.")
      .def("block32", &block<float>, "which"_a.noconvert(), "columns"_a.noconvert(),
           "The entries K[which, columns] in single precision.")
      .def("fill", &fill<double>, "which"_a.noconvert(), "columns"_a.noconvert(), "out"_a.noconvert(),
           "The same entries written into `out`, which several calls may share.")
      .def("fill", &fill<float>, "which"_a.noconvert(), "columns"_a.noconvert(), "out"_a.noconvert())
      .def("accumulated", &accumulated, "which"_a.noconvert(), "weights"_a.noconvert(), "columns"_a.noconvert(),
           "single"_a = false, "threads"_a = 1,
           "The sum of weights[a] K[which[a], columns] over a, in double precision; the entries in `single`, if asked.")
      .def("diagonal", &diagonal, "The entries K[r, r] of a square matrix.")
      .def_prop_ro(
          "single_rounding", [](const wm::Gram& g) { return g.rounding(wm::Arithmetic::Single); },
          "What an entry of block32 may be wrong by.")
      .def_prop_ro(
          "stored", [](const wm::Gram& g) { return g.stored(wm::Arithmetic::Double); },
          "Whether the entries are in memory, in double precision.")
      .def_prop_ro(
          "stored_rounded", [](const wm::Gram& g) { return g.stored(wm::Arithmetic::Single); },
          "Whether the entries are in memory, in single precision at least.")
      .def_prop_ro("computed", &wm::Gram::computed,
                   "How many entries have been computed although they are in memory: less exact than wanted.")
      .def_ro("entry_work", &wm::Gram::entry_work, "About how many multiplications are behind an entry.")
      .def_prop_ro("preferred_block", &wm::Gram::preferred_block, "How many rows to ask for at a time.");
}

template <class T>
void bind_dense(nb::class_<PyPoints>& points) {
  points.def_static(
      "dense",
      [](Matrix<T> values) {
        return PyPoints{wm::DensePoints<T>{values.data(), Index(values.shape(0)), Index(values.shape(1))}};
      },
      "values"_a.noconvert(), nb::keep_alive<0, 1>(), "The rows of a C-contiguous matrix.");
}

template <class T, class Start>
void bind_sparse(nb::class_<PyPoints>& points) {
  points.def_static(
      "csr",
      [](Vector<T> values, Indices indices, Vector<Start> indptr, Index dimension) {
        wm::SparsePoints<T> view{values.data(), indices.data(), nullptr, nullptr, Index(indptr.size()) - 1, dimension};
        if constexpr (sizeof(Start) == 4)
          view.starts32 = indptr.data();
        else
          view.starts64 = indptr.data();
        return PyPoints{view};
      },
      "values"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "dimension"_a, nb::keep_alive<0, 1>(),
      nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
      "The rows of a CSR matrix with ascending indices within each row.");
}

void bind_points(nb::module_& m) {
  nb::class_<PyPoints> points(m, "Points", "Data borrowed from numpy arrays, dense or compressed sparse row.");
  bind_dense<float>(points);
  bind_dense<double>(points);
  bind_dense<std::uint8_t>(points);
  bind_dense<std::int8_t>(points);
  bind_sparse<float, std::int32_t>(points);
  bind_sparse<float, std::int64_t>(points);
  bind_sparse<double, std::int32_t>(points);
  bind_sparse<double, std::int64_t>(points);
  points.def_prop_ro(
      "shape", [](const PyPoints& p) { return std::pair(wm::count(p.view), wm::dimension(p.view)); },
      "Numbers of points and of coordinates.");
}

using NewGram = std::shared_ptr<wm::Gram>;
using GramArgument = std::shared_ptr<wm::Gram>;

NewGram costing(double entry_work, NewGram gram) {
  gram->entry_work = entry_work;
  return gram;
}

/// Coordinates of a point, or for sparse ones what takes as long: a walk along those that are stored, on the average.
double work_of_point(const wm::Points& points) {
  constexpr double walking = 8.0;
  return std::visit(
      [](const auto& some) -> double {
        if constexpr (std::decay_t<decltype(some)>::sparse)
          return some.count == 0 ? 1.0 : walking * static_cast<double>(some.start(some.count)) / some.count;
        else
          return some.dimension;
      },
      points);
}

/// A sum over coordinates, and what is made of it.
double entry_work(const PyPoints& x, const PyPoints& z) {
  constexpr double map = 16.0;
  return map + std::max(work_of_point(x.view), work_of_point(z.view));
}

void check_same_dimension(const PyPoints& x, const PyPoints& z) {
  if (wm::dimension(x.view) != wm::dimension(z.view))
    throw nb::value_error("Both sides of a kernel must have the same number of features.");
}

/// Define m.name(x, z, parameters...) -> Gram, where map_of(parameters...) makes the kernel's Map.
template <class PairwiseGram, class... Parameters, class MapOf, class... Extra>
void bind_pairwise(nb::module_& m, const char* name, MapOf map_of, const Extra&... extra) {
  m.def(
      name,
      [map_of](const PyPoints& x, const PyPoints& z, Parameters... parameters) -> NewGram {
        check_same_dimension(x, z);
        return costing(entry_work(x, z), std::make_shared<PairwiseGram>(x.view, z.view, map_of(parameters...)));
      },
      "x"_a, "z"_a, extra..., nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
}

void bind_leaves(nb::module_& m) {
  bind_pairwise<wm::LinearGram>(m, "linear", [] { return wm::Identity{}; });
  bind_pairwise<wm::PolynomialGram, double, double, int>(
      m, "polynomial", [](double gamma, double coef0, int degree) { return wm::Power{gamma, coef0, degree}; },
      "gamma"_a, "coef0"_a, "degree"_a);
  bind_pairwise<wm::SigmoidGram, double, double>(
      m, "sigmoid", [](double gamma, double coef0) { return wm::HyperbolicTangent{gamma, coef0}; }, "gamma"_a,
      "coef0"_a);
  bind_pairwise<wm::GaussianGram, double>(m, "gaussian", [](double gamma) { return wm::Decay{gamma}; }, "gamma"_a);
  bind_pairwise<wm::LaplacianGram, double>(m, "laplacian", [](double gamma) { return wm::Decay{gamma}; }, "gamma"_a);
  m.def(
      "weighted_gaussian",
      [](const PyPoints& x, const PyPoints& z, Vector<double> weights) -> NewGram {
        check_same_dimension(x, z);
        if (Index(weights.size()) != wm::dimension(x.view))
          throw nb::value_error("There must be a weight per feature.");
        wm::WeightedSquaredDifferenceTerm term(std::vector(weights.data(), weights.data() + weights.size()));
        return costing(entry_work(x, z),
                       std::make_shared<wm::WeightedGaussianGram>(x.view, z.view, wm::Decay{1}, std::move(term)));
      },
      "x"_a, "z"_a, "weights"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
  bind_pairwise<wm::SquaredDistances>(m, "squared_distance", [] { return wm::Identity{}; });
  bind_pairwise<wm::AbsoluteDistances>(m, "absolute_distance", [] { return wm::Identity{}; });
  m.def("decay", &decay, "distances"_a.noconvert(), "gamma"_a, "out"_a.noconvert(),
        "Write exp(-gamma * distances) to `out`.");
}

template <class T>
void bind_precomputed(nb::module_& m) {
  using AnyMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
  const auto borrowed = [](const AnyMatrix& K) {
    return typename wm::PrecomputedGram<T>::Matrix{K.data(), Index(K.shape(0)), Index(K.shape(1)), K.stride(0),
                                                   K.stride(1)};
  };
  m.def(
      "precomputed",
      [borrowed](AnyMatrix K) -> NewGram { return std::make_shared<wm::PrecomputedGram<T>>(borrowed(K)); },
      "K"_a.noconvert(), nb::keep_alive<0, 1>());
  m.def(
      "precomputed",
      [borrowed](AnyMatrix K, Indices columns) -> NewGram {
        const auto chosen = checked(columns, Index(K.shape(1)), "columns");
        return std::make_shared<wm::PrecomputedGram<T>>(borrowed(K), std::vector(chosen.begin(), chosen.end()));
      },
      "K"_a.noconvert(), "columns"_a.noconvert(), nb::keep_alive<0, 1>());
}

void bind_triangle(nb::module_& m) {
  m.def(
      "triangle",
      [](Vector<double> packed, Index size) -> NewGram {
        if (std::int64_t(packed.shape(0)) != std::int64_t(size) * (size + 1) / 2)
          throw nb::value_error("A triangle of a matrix with n rows has n (n + 1) / 2 entries.");
        return std::make_shared<wm::TriangleGram>(packed.data(), size);
      },
      "packed"_a.noconvert(), "size"_a, nb::keep_alive<0, 1>(),
      "A symmetric matrix from its rows up to the diagonal, one after the other.");
}

void bind_rounded_table(nb::module_& m) {
  m.def(
      "rounded_table",
      [](GramArgument exact, Matrix<float> K) -> NewGram {
        if (Index(K.shape(0)) != exact->rows() || Index(K.shape(1)) != exact->columns())
          throw nb::value_error("A table has the shape of its Gram.");
        const Index width = Index(K.shape(1));
        return std::make_shared<wm::RoundedTableGram>(
            exact, wm::PrecomputedGram<float>::Matrix{K.data(), Index(K.shape(0)), width, width, 1});
      },
      "exact"_a, "K"_a.noconvert(), nb::keep_alive<0, 2>(), "A Gram whose entries in single precision are those of K.");
}

void check_same_shape(const GramArgument& left, const GramArgument& right) {
  if (left->rows() != right->rows() || left->columns() != right->columns())
    throw nb::value_error("Two Grams can be combined only if they have the same shape.");
}

void bind_combinations(nb::module_& m) {
  m.def(
      "constant",
      [](Index rows, Index columns, double value) -> NewGram {
        return std::make_shared<wm::ConstantGram>(rows, columns, value);
      },
      "rows"_a, "columns"_a, "value"_a);
  m.def(
      "sum",
      [](GramArgument left, GramArgument right) -> NewGram {
        check_same_shape(left, right);
        return costing(left->entry_work + right->entry_work, std::make_shared<wm::SumGram>(left, right));
      },
      "left"_a, "right"_a);
  m.def(
      "product",
      [](GramArgument left, GramArgument right) -> NewGram {
        check_same_shape(left, right);
        return costing(left->entry_work + right->entry_work, std::make_shared<wm::ProductGram>(left, right));
      },
      "left"_a, "right"_a);
  m.def(
      "scaled",
      [](double factor, GramArgument part) -> NewGram {
        return costing(part->entry_work, std::make_shared<wm::ScaledGram>(factor, part));
      },
      "factor"_a, "part"_a);
  m.def(
      "exponential",
      [](GramArgument part) -> NewGram {
        return costing(part->entry_work, std::make_shared<wm::ExponentialGram>(part));
      },
      "part"_a);
  m.def(
      "normalized",
      [](GramArgument part, Vector<double> row_squares, Vector<double> column_squares) -> NewGram {
        if (Index(row_squares.size()) != part->rows() || Index(column_squares.size()) != part->columns())
          throw nb::value_error("A normalised Gram needs one squared length for each row and each column.");
        const auto copy = [](const Vector<double>& v) { return std::vector<double>(v.data(), v.data() + v.size()); };
        return costing(part->entry_work,
                       std::make_shared<wm::NormalizedGram>(part, copy(row_squares), copy(column_squares)));
      },
      "part"_a, "row_squares"_a, "column_squares"_a);
  m.def(
      "callback",
      [](nb::callable function, Index rows, Index columns) -> NewGram {
        constexpr double work_of_python = 1 << 14;
        return costing(work_of_python, std::make_shared<CallbackGram>(function, rows, columns));
      },
      "function"_a, "rows"_a, "columns"_a, "Blocks from a Python function(which, columns) -> float64 array.");
}

}  // namespace

void bind_kernels(nb::module_& m) {
  bind_blas(m);
  bind_gram(m);
  bind_points(m);
  bind_leaves(m);
  bind_precomputed<float>(m);
  bind_precomputed<double>(m);
  bind_triangle(m);
  bind_rounded_table(m);
  bind_combinations(m);
}
