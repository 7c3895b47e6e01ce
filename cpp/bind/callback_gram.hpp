#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gram.hpp"

/// A kernel matrix whose blocks come from a Python function f(which, columns) -> float64 array.
class CallbackGram : public wm::Gram {
 public:
  CallbackGram(nanobind::object function, wm::Index rows, wm::Index columns)
      : function_(std::move(function)), rows_(rows), columns_(columns) {}

  ~CallbackGram() override {
    nanobind::gil_scoped_acquire gil;
    function_.reset();
  }

  wm::Index rows() const override { return rows_; }
  wm::Index columns() const override { return columns_; }
  wm::Index preferred_block() const override { return 16; }

  void block(std::span<const wm::Index> which, std::span<const wm::Index> columns, float* out) const override {
    by_parts(which, columns, out);
  }
  void block(std::span<const wm::Index> which, std::span<const wm::Index> columns, double* out) const override {
    by_parts(which, columns, out);
  }
  void diagonal(double* out) const override {
    for (wm::Index r = 0; r < rows_; ++r) ask({&r, 1}, {&r, 1}, out + r);
  }

 private:
  using Entries = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

  /// However many rows are wanted, the function is asked for no more than the preferred number at once.
  template <class T>
  void by_parts(std::span<const wm::Index> which, std::span<const wm::Index> columns, T* out) const {
    const std::size_t part = preferred_block();
    for (std::size_t first = 0; first < which.size(); first += part)
      ask(which.subspan(first, std::min(part, which.size() - first)), columns, out + first * columns.size());
  }

  template <class T>
  void ask(std::span<const wm::Index> which, std::span<const wm::Index> columns, T* out) const {
    namespace nb = nanobind;
    nb::gil_scoped_acquire gil;
    const nb::object answer = answer_to(which, columns);
    Entries entries;
    if (!nb::try_cast(answer, entries)) fail("must return a matrix of real numbers");
    if (entries.shape(0) != which.size() || entries.shape(1) != columns.size())
      fail("must return an array of shape (" + std::to_string(which.size()) + ", " + std::to_string(columns.size()) +
           "), got (" + std::to_string(entries.shape(0)) + ", " + std::to_string(entries.shape(1)) + ")");
    const std::span values(entries.data(), entries.size());
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
      fail("returned NaN or infinity for one of the rows " + std::to_string(which.front()) + " to " +
           std::to_string(which.back()));
    std::ranges::copy(values, out);
  }

  /// A Ctrl-C that hits the function is put off until it has answered: whoever asks now and then will hear of it, and
  /// keep what it has.
  nanobind::object answer_to(std::span<const wm::Index> which, std::span<const wm::Index> columns) const {
    try {
      return function_(array_of(which), array_of(columns));
    } catch (nanobind::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    }
    nanobind::object answer = function_(array_of(which), array_of(columns));
    PyErr_SetInterrupt();
    return answer;
  }

  [[noreturn]] static void fail(const std::string& what) {
    throw nanobind::value_error(("The kernel function " + what + ".").c_str());
  }

  /// A copy: Python may keep it longer than the caller does.
  static nanobind::object array_of(std::span<const wm::Index> indices) {
    auto* copy = new wm::Index[indices.size()];
    std::ranges::copy(indices, copy);
    nanobind::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<wm::Index*>(p); });
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, wm::Index, nanobind::ndim<1>>(copy, {indices.size()}, owner));
  }

  nanobind::object function_;
  wm::Index rows_, columns_;
};
