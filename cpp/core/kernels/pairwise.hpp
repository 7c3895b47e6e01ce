#pragma once
// Kernels of the form
//
//   k(x, z) = map( sum_j term(x_j, z_j) )
//
// for dense and sparse points alike: a few x are written out, then met by a tile of z after another as z is stored; or,
// in large blocks where that is cheaper, both sides are written out (packed_blocks.hpp). Points of zeros and ones are
// written out as bits (bit_blocks.hpp), those on a grid of few values as bytes (byte_blocks.hpp).

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../gram.hpp"
#include "../lease.hpp"
#include "bit_blocks.hpp"
#include "byte_blocks.hpp"
#include "packed_blocks.hpp"
#include "sums.hpp"

namespace wm {

/// The map that leaves the sums as they are.
struct Identity {
  static constexpr bool bears_rounding = true;
  double sensitivity() const { return infinity; }
  template <class T>
  void operator()(T*, std::size_t) const {}
};

/// Map turns a row of sums into kernel values in place: map(values, count). If it bears rounding, a sum rounded to
/// single precision gives an entry as exact as single precision can be; else the map is applied before rounding.
template <class Term, class Map>
class PairwiseGram : public Gram {
 public:
  PairwiseGram(Points x, Points z, Map map, Term term = {}) : x_(x), z_(z), map_(map), term_(std::move(term)) {}

  Index rows() const override { return count(x_); }
  Index columns() const override { return count(z_); }

  void block(std::span<const Index> which, std::span<const Index> columns, float* out) const override {
    if (by_packing(which, columns, out)) return;
    std::visit([&](const auto& z) { choose_accumulator(z, which, columns, out); }, z_);
  }

  void block(std::span<const Index> which, std::span<const Index> columns, double* out) const override {
    if (by_packing(which, columns, out)) return;
    std::visit([&](const auto& z) { accumulate_in<double>(z, which, columns, out); }, z_);
  }

  void scatter(std::span<const Index> which, std::span<const Index> columns,
               std::span<float* const> out) const override {
    if (!scatter_by_packing(which, columns, out)) Gram::scatter(which, columns, out);
  }

  void scatter(std::span<const Index> which, std::span<const Index> columns,
               std::span<double* const> out) const override {
    if (!scatter_by_packing(which, columns, out)) Gram::scatter(which, columns, out);
  }

  void diagonal(double* out) const override {
    if constexpr (Term::from_products != FromProducts::product) {  // the distance of a point to itself
      std::fill_n(out, rows(), 0.0);
      return map_(out, rows());
    }
    std::fill_n(out, rows(), 0.0);
    for (Index r = 0; r < std::min(rows(), columns()); ++r) block({&r, 1}, {&r, 1}, out + r);
  }

  double rounding(Arithmetic precision) const override {
    double factor = 1.0;
    if constexpr (Term::from_products == FromProducts::squared_distance) {
      if (byte_blocks())
        factor += 1.0;  // their sums are exact but for being rounded
      else if (!bit_blocks())
        factor += blocks().magnification(precision);
    }
    if constexpr (Term::from_products == FromProducts::product)
      if (precision == Arithmetic::Double) factor += dimension(x_);  // as many roundings: products are summed in double
    return factor * Gram::rounding(precision);
  }

 private:
  static constexpr bool made_of_bits = requires { Term::bits(0u, 0u); };
  static constexpr bool made_of_bytes = made_of_bits && Term::from_products != FromProducts::no;

  /// Single precision suffices for rounded entries of dense single-precision data: nothing cancels there.
  template <class Columns>
  void choose_accumulator(const Columns& z, std::span<const Index> which, std::span<const Index> columns,
                          float* out) const {
    if constexpr (!Columns::sparse && !std::is_same_v<typename Columns::Value, double>) {
      if (!is_double(x_)) return accumulate_in<float>(z, which, columns, out);
    }
    accumulate_in<double>(z, which, columns, out);
  }

  /// A few rows at a time, so that a tile of columns is read from memory once for all of them.
  template <class A, class Columns, class Out>
  void accumulate_in(const Columns& z, std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    constexpr std::size_t affordable = 65536;  // coordinates written out, to stay in a near cache
    const std::size_t rows_at_once = std::clamp<std::size_t>(affordable / (z.dimension + 1) / 8 * 8, 8, 64);
    auto& scattered = Scattered<A>::of_this_thread();
    Lease<A> sums(std::min(rows_at_once, which.size()) * tile);
    const auto term = term_.template in<A>();
    for (std::size_t first = 0; first < which.size(); first += rows_at_once) {
      const auto some = which.subspan(first, std::min(rows_at_once, which.size() - first));
      const auto xs = scattered.write(x_, some, points_together<Columns>(some.size()));
      for (std::size_t b = 0; b < columns.size(); b += tile) {
        const auto these = columns.subspan(b, std::min(tile, columns.size() - b));
        sums_with_columns<A>(term, xs, z, these, sums.data());
        if (these.size() == columns.size()) {  // one long stretch for the map
          for (std::size_t a = 1; a < xs.size(); ++a)
            std::copy_n(sums.data() + a * tile, these.size(), sums.data() + a * these.size());
          map_sums(sums.data(), xs.size() * these.size(), out + first * these.size());
          continue;
        }
        for (std::size_t a = 0; a < xs.size(); ++a)
          map_sums(sums.data() + a * tile, these.size(), out + (first + a) * columns.size() + b);
      }
      scattered.clear();
    }
  }

  /// A block of points written out, if that is cheaper; false if it is not.
  template <class Out>
  bool by_packing(std::span<const Index> which, std::span<const Index> columns, Out* out) const {
    return pack<Out>(which, columns, [&](std::size_t a, std::size_t b, auto* sums, std::size_t count) {
      map_sums(sums, count, out + a * columns.size() + b);
    });
  }

  template <class Out>
  bool scatter_by_packing(std::span<const Index> which, std::span<const Index> columns,
                          std::span<Out* const> out) const {
    return pack<Out>(which, columns, [&](std::size_t a, std::size_t b, auto* sums, std::size_t count) {
      for (std::size_t begin = 0; begin < count; ++a) {
        const std::size_t width = std::min(count - begin, columns.size() - b);
        map_sums(sums + begin, width, out[a] + b);
        begin += width;
      }
    });
  }

  template <class Out, class Use>
  bool pack(std::span<const Index> which, std::span<const Index> columns, Use use) const {
    const std::size_t few = is_sparse(z_) ? 32 : 4;  // where walking along nonzeros is cheaper than gathering points
    const bool large = which.size() >= few && columns.size() >= few;
    if constexpr (made_of_bits)
      if (const auto* const bits = large ? bit_blocks() : known_bits_.load()) {
        bits->for_each_stretch(which, columns, use);
        return true;
      }
    if constexpr (made_of_bytes)
      if (const auto* const bytes = large ? byte_blocks() : nullptr) {
        bytes->template for_each_stretch<std::conditional_t<Map::bears_rounding, Out, double>>(which, columns, use);
        return true;
      }
    if constexpr (Term::from_products != FromProducts::no) {
      if (!large || !blocks().template worthwhile<Out>()) return false;
      blocks().template for_each_stretch<Out>(which, columns, use);
      return true;
    }
    return false;
  }

  /// Made when a large block, or what rounding does to it, is first asked for.
  const PackedBlocks& blocks() const {
    std::call_once(blocks_known_, [&] {
      constexpr bool distances = Term::from_products == FromProducts::squared_distance;
      blocks_.emplace(x_, z_, term_.frame(is_sparse(x_) ? x_ : z_), distances, map_.sensitivity());
    });
    return *blocks_;
  }

  /// Likewise; null if the points are not made of zeros and ones, or are cheaper as they are.
  const BitBlocks<Term>* bit_blocks() const {
    if constexpr (made_of_bits)
      std::call_once(bits_sought_, [&] {
        bits_ = BitBlocks<Term>::of(x_, z_);
        if (!bits_) return;
        tabulate<float>();
        tabulate<double>();
        known_bits_ = bits_.get();
      });
    return bits_.get();
  }

  /// Likewise, for points on a grid that are not made of zeros and ones.
  const ByteBlocks* byte_blocks() const {
    if constexpr (made_of_bytes)
      std::call_once(bytes_sought_, [&] {
        if (!bit_blocks()) bytes_ = ByteBlocks::of(x_, z_, Term::from_products == FromProducts::squared_distance);
      });
    return bytes_.get();
  }

  /// What the map makes of each sum of bits.
  template <class Out>
  void tabulate() const {
    std::vector<double> sums(std::size_t(dimension(x_)) + 1);
    std::iota(sums.begin(), sums.end(), 0.0);
    auto& values = std::get<std::vector<Out>>(values_);
    values.resize(sums.size());
    map_sums(sums.data(), sums.size(), values.data());
  }

  template <class Out>
  void map_sums(const BitPoints::Word* sums, std::size_t count, Out* values) const {
    const Out* const known = std::get<std::vector<Out>>(values_).data();
    simd::on_avx512([=]() WM_INLINE_LAMBDA {
#pragma omp simd
      for (std::size_t b = 0; b < count; ++b) values[b] = known[sums[b]];
    });
  }

  template <class A, class Out>
  void map_sums(A* sums, std::size_t count, Out* values) const {
    if constexpr (requires { map_(static_cast<const Out*>(sums), count, values); }) {
      map_(static_cast<const Out*>(sums), count, values);
    } else if constexpr (Map::bears_rounding) {
      std::copy_n(sums, count, values);
      map_(values, count);
    } else {
      map_(sums, count);
      std::copy_n(sums, count, values);
    }
  }

  Points x_, z_;
  Map map_;
  Term term_;
  mutable std::once_flag blocks_known_;
  mutable std::optional<PackedBlocks> blocks_;
  mutable std::once_flag bits_sought_;
  mutable std::unique_ptr<const BitBlocks<Term>> bits_;
  mutable std::atomic<const BitBlocks<Term>*> known_bits_ = nullptr;    // for blocks too small to seek them
  mutable std::tuple<std::vector<float>, std::vector<double>> values_;  // of sums of bits
  mutable std::once_flag bytes_sought_;
  mutable std::unique_ptr<const ByteBlocks> bytes_;
};

}  // namespace wm
