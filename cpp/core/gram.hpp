#pragma once
// A kernel matrix seen by blocks of rows.
//
//   K[r, c] = k(x_r, z_c),   r < rows(),  c < columns()
//
// Solvers and predictors see this and nothing else of a kernel or of data. A square Gram (z = x) is symmetric and also
// knows its diagonal. Implementations must be safe to call from several threads at once.

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <vector>

#include "lease.hpp"
#include "types.hpp"

namespace wm {

enum class Arithmetic { Single, Double };

template <class Real>
inline constexpr Arithmetic arithmetic_of = sizeof(Real) == sizeof(float) ? Arithmetic::Single : Arithmetic::Double;

/// The relative error of a rounded number; in double precision, where products are summed too, of a few sums.
constexpr double unit(Arithmetic precision) { return precision == Arithmetic::Single ? 6e-8 : 1e-15; }

class Gram {
 public:
  virtual ~Gram() = default;

  virtual Index rows() const = 0;
  virtual Index columns() const = 0;

  /// out[a * columns.size() + b] = K[which[a], columns[b]].
  /// Single precision may round the entries but not the arithmetic on ill-scaled data: an entry is as exact as its
  /// type.
  virtual void block(std::span<const Index> which, std::span<const Index> columns, float* out) const = 0;
  virtual void block(std::span<const Index> which, std::span<const Index> columns, double* out) const = 0;

  /// The same among some points of a symmetric Gram.
  virtual void symmetric_block(std::span<const Index> points, float* out) const { block(points, points, out); }
  virtual void symmetric_block(std::span<const Index> points, double* out) const { block(points, points, out); }

  /// The same for rows that lie apart: out[a][b] = K[which[a], columns[b]].
  virtual void scatter(std::span<const Index> which, std::span<const Index> columns,
                       std::span<float* const> out) const {
    copy_block(which, columns, out);
  }
  virtual void scatter(std::span<const Index> which, std::span<const Index> columns,
                       std::span<double* const> out) const {
    copy_block(which, columns, out);
  }

  /// Whether the entries are in memory, at least as exact as this: then nobody need keep copies of rows.
  virtual bool stored(Arithmetic) const { return false; }

  /// How many entries have been computed although they are in memory: less exact than they were wanted.
  virtual std::int64_t computed() const { return 0; }

  /// Where the entries of a row lie one after the other in this precision; null if they do not.
  virtual const float* single_row(Index) const { return nullptr; }
  virtual const double* double_row(Index) const { return nullptr; }

  /// out[b] += sum_a weights[a] K[rows[a], columns[b]], sums in double precision, of stored entries if there are any.
  virtual void accumulate(std::span<const Index> rows, std::span<const double> weights, std::span<const Index> columns,
                          double* out) const {
    constexpr std::size_t at_once = 64;
    std::vector<double> entries(std::min(at_once, rows.size()) * columns.size());
    for (std::size_t first = 0; first < rows.size(); first += at_once) {
      const auto some = rows.subspan(first, std::min(at_once, rows.size() - first));
      block(some, columns, entries.data());
      for (std::size_t a = 0; a < some.size(); ++a)
        for (std::size_t b = 0; b < columns.size(); ++b) out[b] += weights[first + a] * entries[a * columns.size() + b];
    }
  }

  /// out[r] = K[r, r] for a square Gram.
  virtual void diagonal(double* out) const = 0;

  /// The same, computed at the first call and kept for the other problems on this Gram; a single entry if all are
  /// equal.
  std::span<const double> kept_diagonal() const {
    std::call_once(diagonal_known_, [&] {
      std::vector<double> all(rows());
      diagonal(all.data());
      for (const double entry : all) largest_ = std::max(largest_, std::abs(entry));
      if (rows() > 0 && std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end())
        all = {all.front()};
      diagonal_ = std::move(all);
    });
    return diagonal_;
  }

  /// What an entry in this precision may be wrong by; zero: it is the entry.
  virtual double rounding(Arithmetic precision) const { return unit(precision) * largest_entry(); }

  /// For a square Gram; kernels are positive semi-definite, or nearly so.
  double largest_entry() const {
    kept_diagonal();
    return largest_;
  }

  /// About how many multiplications are behind an entry: blocks between two looks at the clock are chosen by it. Set by
  /// whoever makes the Gram of data or of other Grams.
  double entry_work = 1.0;

  /// How many rows to ask for at a time; more than one where a call is dear whatever its size (a Python callable).
  virtual Index preferred_block() const { return 1; }

 private:
  template <class Real>
  void copy_block(std::span<const Index> which, std::span<const Index> columns, std::span<Real* const> out) const {
    Lease<Real> entries(which.size() * columns.size());
    block(which, columns, entries.data());
    for (std::size_t a = 0; a < which.size(); ++a)
      std::copy_n(entries.data() + a * columns.size(), columns.size(), out[a]);
  }

  mutable std::once_flag diagonal_known_;
  mutable std::vector<double> diagonal_;
  mutable double largest_ = 0.0;
};

}  // namespace wm
