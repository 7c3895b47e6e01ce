#pragma once
// Products of a kernel matrix with a vector, without the matrix: blocks are used while they are in a near cache.
//
// Certificates are read from products with entries in double. Sums of computed ones are wrong by little more than
// their entries are: coefficients of 1e8 that cancel would leave nothing but rounding of plain sums.

#include <atomic>
#include <type_traits>

#include "gram.hpp"
#include "lease.hpp"
#include "parallel.hpp"
#include "sweeps.hpp"

namespace wm {

inline constexpr std::size_t block_rows = 512;
inline constexpr Index block_columns = 256;

/// How many rows to compute, and to multiply by `count` weights each, before asking whether to stop: a few hundredths
/// of a second.
inline std::size_t rows_between_questions(const Gram& gram, std::size_t columns, Index count = 1) {
  constexpr double multiplications = 1 << 30, entries = 1 << 23;
  const double sums = 1.0 + (count - 1) / 8.0;
  const double affordable =
      std::min(multiplications / gram.entry_work, entries / sums) / static_cast<double>(columns + 1);
  const std::size_t rows = std::clamp<std::size_t>(static_cast<std::size_t>(affordable), 16, 4096);
  return rows < block_rows ? rows : rows / block_rows * block_rows;
}

/// How many columns of a panel with so many rows to compute in double before asking whether to stop; whole blocks, and
/// one for each thread at least.
inline std::size_t columns_between_questions(const Gram& gram, std::size_t rows, int threads) {
  constexpr double multiplications = 1 << 29;
  const double blocks = multiplications / gram.entry_work / static_cast<double>(rows * block_columns);
  return block_columns * static_cast<std::size_t>(std::clamp(blocks, std::max(1.0, 1.0 * threads), 1e6));
}

/// Calls body(begin, end) on parts of [0, n) as wide as a block, in several threads if there is work for them, whoever
/// is ready taking the next; the parts do not depend on how many, nor then does what is computed.
template <class Body>
void by_block_columns(Index n, int threads, double work, Body body, Index wide = block_columns) {
  constexpr double work_worth_threads = 1 << 18;  // less costs less than starting a thread
  const Index blocks = (n + wide - 1) / wide;
  std::atomic<Index> next = 0;
  parallel_for(std::min<Index>(blocks, work < work_worth_threads ? 1 : threads), threads, [&](Index, Index) {
    for (Index b = next++; b < blocks; b = next++) body(b * wide, std::min(n, (b + 1) * wide));
  });
}

/// out[k stride + c] += sum_r weights[k R + r] rows[r][c] for R rows, c < width and k < count; zeros cost nothing. What
/// rounding takes away is added to lost[k width + c], if there is such.
template <class Real>
void accumulate_each(const std::vector<const Real*>& rows, const double* weights, std::size_t R, Index width,
                     double* out, Index count, std::size_t stride, double* lost = nullptr) {
  const auto add = [=](const std::vector<const Real*>& some, const double* their_weights, Index k) {
    if (lost)
      sweep::accumulate_exactly(some, their_weights, out + k * stride, lost + k * width, width);
    else
      sweep::accumulate(some, their_weights, out + k * stride, width);
  };
  if (count == 1) return add(rows, weights, 0);
  std::vector<const Real*> some;
  std::vector<double> their_weights;
  for (Index k = 0; k < count; ++k) {
    some.clear();
    their_weights.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const double w = weights[k * R + r]; w != 0.0) {
        some.push_back(rows[r]);
        their_weights.push_back(w);
      }
    add(some, their_weights.data(), k);
  }
}

/// out[k stride + c] += sum_r weights[k R + r] K[rows[r], columns[c]] for R rows and k < count, entries computed in
/// Real, sums in double.
template <class Real>
void add_products(const Gram& gram, std::span<const Index> rows, const double* weights, std::span<const Index> columns,
                  double* out, int threads, Index count, std::size_t stride) {
  const double work = gram.entry_work * static_cast<double>(rows.size() * columns.size());
  by_block_columns(static_cast<Index>(columns.size()), threads, work, [&](Index begin, Index end) {
    const std::size_t width = end - begin, R = rows.size();
    if (gram.stored(arithmetic_of<Real>)) {
      for (Index k = 0; k < count; ++k)
        gram.accumulate(rows, {weights + k * R, R}, columns.subspan(begin, width), out + k * stride + begin);
      return;
    }
    Lease<Real> block(std::min(block_rows, R) * width);
    std::vector<double> lost(std::is_same_v<Real, double> ? count * width : 0, 0.0);
    std::vector<const Real*> values;
    for (std::size_t first = 0; first < R; first += block_rows) {
      const auto some = rows.subspan(first, std::min(block_rows, R - first));
      gram.block(some, columns.subspan(begin, width), block.data());
      values.clear();
      for (std::size_t r = 0; r < some.size(); ++r) values.push_back(block.data() + r * width);
      accumulate_each(values, weights + first, R, static_cast<Index>(width), out + begin, count, stride,
                      lost.empty() ? nullptr : lost.data());
    }
    for (std::size_t k = 0; k < lost.size(); ++k) out[k / width * stride + begin + k % width] += lost[k];
  });
}

/// out[c] += sum_r weights[r] K[rows[r], columns[c]]
template <class Real>
void add_product(const Gram& gram, std::span<const Index> rows, const double* weights, std::span<const Index> columns,
                 double* out, int threads) {
  add_products<Real>(gram, rows, weights, columns, out, threads, 1, columns.size());
}

/// out[a] += sum_b weights[b] K[points[a], points[b]], as above; of two mirrored entries one is computed. Asks
/// `must_stop()` now and then and returns false if it said so.
template <class Real, class MustStop>
bool add_symmetric_product(const Gram& gram, std::span<const Index> points, const double* weights, double* out,
                           int threads, MustStop must_stop) {
  std::vector<double> lost(points.size(), 0.0);
  for (std::size_t first = 0; first < points.size(); first += block_rows) {
    const auto rows = points.subspan(first, std::min(block_rows, points.size() - first)),
               columns = points.subspan(first);
    const std::size_t blocks = (columns.size() + block_columns - 1) / block_columns;
    // By block, so that sums have the same order in all threads.
    std::vector<double> mirrored(blocks * rows.size(), 0.0), mirrored_lost(mirrored.size(), 0.0);
    const auto add_block = [&](Index begin, Index end) {
      const std::size_t width = end - begin;
      Lease<Real> block(rows.size() * width);
      gram.block(rows, columns.subspan(begin, width), block.data());
      std::vector<const Real*> values;
      for (std::size_t r = 0; r < rows.size(); ++r) values.push_back(block.data() + r * width);
      sweep::accumulate_exactly(values, weights + first, out + first + begin, lost.data() + first + begin,
                                static_cast<Index>(width));
      const std::size_t place = begin / block_columns * rows.size();
      if (static_cast<std::size_t>(begin) >= rows.size())
        sweep::products_exactly(values, weights + first + begin, mirrored.data() + place, mirrored_lost.data() + place,
                                static_cast<Index>(width));
    };
    const std::size_t at_once = columns_between_questions(gram, rows.size(), threads);
    for (std::size_t left = 0; left < columns.size(); left += at_once) {
      const std::size_t count = std::min(at_once, columns.size() - left);
      const double work = gram.entry_work * static_cast<double>(rows.size() * count);
      by_block_columns(static_cast<Index>(count), threads, work, [&](Index begin, Index end) {
        add_block(static_cast<Index>(left) + begin, static_cast<Index>(left) + end);
      });
      if (must_stop() && (left + count < columns.size() || first + rows.size() < points.size())) return false;
    }
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::size_t place = b * rows.size() + r;
        sweep::add_exactly(mirrored[place], out[first + r], lost[first + r]);
        lost[first + r] += mirrored_lost[place];
      }
  }
  for (std::size_t a = 0; a < points.size(); ++a) out[a] += lost[a];
  return true;
}

}  // namespace wm
