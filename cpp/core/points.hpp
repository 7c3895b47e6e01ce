#pragma once
// The data as they are stored: borrowed, never copied, never converted as a whole.
//
// A point is a vector of d coordinates, all written down (DensePoint) or only some (SparsePoint, coordinates ascending,
// the others zero). Points is the one type in which data travel; it is looked into once per block of a Gram.

#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

#include "types.hpp"

namespace wm {

template <class T>
struct DensePoint {
  const T* values;
  Index size;
};

template <class T>
struct SparsePoint {
  const T* values;
  const Index* coordinates;
  Index size;
};

/// The rows of a C-contiguous matrix.
template <class T>
struct DensePoints {
  using Value = T;
  static constexpr bool sparse = false;

  const T* values;
  Index count, dimension;

  bool operator==(const DensePoints&) const = default;
  DensePoint<T> operator[](Index i) const { return {values + std::ptrdiff_t(i) * dimension, dimension}; }
};

/// The rows of a matrix in compressed sparse row (CSR) form. Exactly one of the two kinds of starts is given.
template <class T>
struct SparsePoints {
  using Value = T;
  static constexpr bool sparse = true;

  const T* values;
  const Index* coordinates;
  const std::int32_t* starts32;
  const std::int64_t* starts64;
  Index count, dimension;

  bool operator==(const SparsePoints&) const = default;
  std::int64_t start(Index i) const { return starts32 ? starts32[i] : starts64[i]; }
  SparsePoint<T> operator[](Index i) const {
    const std::int64_t first = start(i);
    return {values + first, coordinates + first, Index(start(i + 1) - first)};
  }
};

using Points = std::variant<DensePoints<float>, DensePoints<double>, DensePoints<std::uint8_t>,
                            DensePoints<std::int8_t>, SparsePoints<float>, SparsePoints<double>>;

inline Index count(const Points& points) {
  return std::visit([](const auto& p) { return p.count; }, points);
}

inline Index dimension(const Points& points) {
  return std::visit([](const auto& p) { return p.dimension; }, points);
}

inline bool is_sparse(const Points& points) {
  return std::visit([](const auto& p) { return p.sparse; }, points);
}

/// Whether the values are stored in double precision.
inline bool is_double(const Points& points) {
  return std::holds_alternative<DensePoints<double>>(points) || std::holds_alternative<SparsePoints<double>>(points);
}

/// Whether computing with zeros is cheaper than walking along the other coordinates: up to a point, it is.
inline bool fills_enough(const Points& points) {
  constexpr std::int64_t zeros_per_value = 12;
  return std::visit(
      [](const auto& p) {
        if (p.dimension == 0 || p.count == 0) return false;
        if constexpr (std::remove_cvref_t<decltype(p)>::sparse)
          return std::int64_t{p.count} * p.dimension <= zeros_per_value * (p.start(p.count) - p.start(0));
        return true;
      },
      points);
}

/// Whether these points follow one another.
inline bool consecutive(std::span<const Index> which) {
  for (std::size_t a = 1; a < which.size(); ++a)
    if (which[a] != which[0] + Index(a)) return false;
  return !which.empty();
}

/// What will be read soon.
template <class T>
inline void prefetch(const DensePoint<T>& x) {
  __builtin_prefetch(x.values);
}

template <class T>
inline void prefetch(const SparsePoint<T>& x) {
  __builtin_prefetch(x.values);
  __builtin_prefetch(x.values + 64 / sizeof(T));
  __builtin_prefetch(x.coordinates);
}

}  // namespace wm
