#pragma once
// The free variables F (strictly between their bounds), and the linear system that holds among them:
//
//   [ Q_FF  E ] [ d ]   [ b ]
//   [ E'    0 ] [ r ] = [ s ]      E_ig = 1 if variable i is in group g
//
// With b the gradient and s = 0, d is the exact step to the best point with all other variables fixed. The derivative
// of a solution in anything, what it becomes without one of its points, and the span of its support vectors are
// solutions of the same system.
//
// Q_FF may be singular where the system is not (a kernel with a large constant, a grounded variable), so it is not Q_FF
// that is factorised but A = Q_FF + shift E E'. As E'd = s is known, A d = Q d + shift E s, and elimination of d leaves
//
//   S r = E'A^-1 (b + shift E s) - s,   S = E'A^-1 E,       d = A^-1 (b + shift E s) - A^-1 E r
//
// No variable of a group has a special role, so that any one may leave. Where the system itself is singular (repeated
// points, low rank) the ridge of the factor chooses a solution.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "factor.hpp"

namespace wm {

class FreeSet {
 public:
  explicit FreeSet(Index groups = 1) : members_of_(groups, 0) {}

  /// The variables with this Q_FF, each in one of the groups. False if told to stop: the set is then of no use.
  template <class MustStop>
  bool factorise(SquareMatrix Q, std::vector<Index> group, MustStop must_stop) {
    Q_ = std::move(Q);
    group_ = std::move(group);
    std::fill(members_of_.begin(), members_of_.end(), 0);
    for (Index g : group_) ++members_of_[g];
    return factorise(must_stop);
  }

  Index size() const { return static_cast<Index>(group_.size()); }
  Index groups() const { return static_cast<Index>(members_of_.size()); }
  Index group(Index i) const { return group_[i]; }
  const SquareMatrix& Q() const { return Q_; }

  /// A variable enters at the last position: its entries of Q with the others, and its own.
  void add(std::span<const double> column, double diagonal, Index g) {
    const std::size_t n = group_.size();
    Q_.append();
    std::copy(column.begin(), column.end(), Q_.row(n));
    for (std::size_t i = 0; i < n; ++i) Q_(i, n) = column[i];
    Q_(n, n) = diagonal;
    group_.push_back(g);
    ++members_of_[g];
    border_known_ = false;
    if (std::abs(diagonal) > 100.0 * shift_) {  // the shift is too small to be seen beside this variable
      factorise([] { return false; });
      return;
    }
    std::vector<double> shifted(column.begin(), column.end());
    for (std::size_t i = 0; i < n; ++i) shifted[i] += group_[i] == g ? shift_ : 0.0;
    factor_.append(std::move(shifted), diagonal + shift_);
  }

  /// The variable at this position leaves; those after it move up.
  void remove(Index position) {
    Q_.remove(position);
    factor_.remove(position);
    --members_of_[group_[position]];
    group_.erase(group_.begin() + position);
    border_known_ = false;
  }

  /// By variable and by group, the columns of several solutions side by side.
  struct Solution {
    std::vector<double> d;
    std::vector<double> r;  // zero for a group without variables
  };

  /// So many right-hand sides are best solved together.
  static constexpr std::size_t together = 16;

  /// One pass of elimination, exact but for rounding and the ridge.
  template <std::size_t columns = 1>
  Solution approximate(std::span<const double> b, std::span<const double> s) {
    know_border();
    Solution x{{b.begin(), b.end()}, std::vector<double>(members_of_.size() * columns, 0.0)};
    for_each_entry<columns>([&](std::size_t here, std::size_t of_group) { x.d[here] += shift_ * s[of_group]; });
    factor_.template solve<columns>(x.d.data());
    for_each_entry<columns>([&](std::size_t here, std::size_t of_group) { x.r[of_group] += x.d[here]; });
    for (std::size_t k = 0; k < x.r.size(); ++k) x.r[k] = members_of_[k / columns] > 0 ? x.r[k] - s[k] : 0.0;
    schur_.template solve<columns>(x.r.data());
    for (std::size_t g = 0; g < members_of_.size(); ++g)
      for (std::size_t i = 0; i < group_.size(); ++i)
        for (std::size_t c = 0; c < columns; ++c) x.d[i * columns + c] -= x.r[g * columns + c] * border_[g][i];
    meet_sums<columns>(x.d, s);
    return x;
  }

  /// Iterative refinement with Q itself, for each column as long as it halves a residual that is more than rounding.
  template <std::size_t columns = 1>
  Solution solve(std::span<const double> b, std::span<const double> s) {
    Solution x = approximate<columns>(b, s), left = residual<columns>(x, b, s);
    std::array<double, columns> size = largest<columns>(left);
    std::array<bool, columns> going;
    going.fill(true);
    for (int round = 0; round < 5; ++round) {
      const std::array<double, columns> bearable = rounding<columns>(x);
      for (std::size_t c = 0; c < columns; ++c) going[c] &= size[c] > bearable[c];
      if (std::ranges::count(going, true) == 0) break;
      Solution better = approximate<columns>(left.d, left.r);
      for (std::size_t k = 0; k < x.d.size(); ++k) better.d[k] += x.d[k];
      for (std::size_t k = 0; k < x.r.size(); ++k) better.r[k] += x.r[k];
      Solution then = residual<columns>(better, b, s);
      const std::array<double, columns> size_then = largest<columns>(then);
      for (std::size_t c = 0; c < columns; ++c) {
        going[c] &= size_then[c] < size[c];
        if (!going[c]) continue;
        replace_column<columns>(c, better, x);
        replace_column<columns>(c, then, left);
        going[c] = size_then[c] < 0.5 * size[c];
        size[c] = size_then[c];
      }
    }
    return x;
  }

  /// Q_FF D.
  template <std::size_t columns = 1>
  std::vector<double> multiply(std::span<const double> D) const {
    std::vector<double> product(D.size(), 0.0);
    simd::on_avx512([&]() WM_INLINE_LAMBDA {
      if constexpr (columns == 1) {
        for (std::size_t i = 0; i < product.size(); ++i) {
          const double* row = Q_.row(i);
          double sum = 0.0;
#pragma omp simd reduction(+ : sum)
          for (std::size_t j = 0; j < product.size(); ++j) sum += row[j] * D[j];
          product[i] = sum;
        }
      } else {
        auto* const rows = reinterpret_cast<double (*)[columns]>(product.data());
        for (std::size_t i = 0; i < group_.size(); i += SquareMatrix::tile_rows)
          Q_.add_products<columns>(i, std::min(i + SquareMatrix::tile_rows, group_.size()), 0, D.data(), rows + i);
      }
    });
    return product;
  }

  /// The diagonal of the inverse of the whole system, for the variables: A^-1 - A^-1 E S^-1 E'A^-1.
  std::vector<double> inverse_diagonal() {
    know_border();
    std::vector<double> diagonal = factor_.inverse_diagonal(), row(members_of_.size());
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      for (std::size_t g = 0; g < row.size(); ++g) row[g] = border_[g][i];
      schur_.solve(row.data());
      for (std::size_t g = 0; g < row.size(); ++g) diagonal[i] -= row[g] * border_[g][i];
    }
    return diagonal;
  }

  /// log det Z'Q_FF Z, the columns of Z an orthonormal basis of E'd = 0: the determinant of the whole system is, but
  /// for its sign, det A det S = det Z'QZ det E'E.
  double log_determinant() {
    know_border();
    double sum = factor_.log_determinant() + schur_.log_determinant();
    for (Index members : members_of_)
      if (members > 0) sum -= std::log(static_cast<double>(members));
    return sum;
  }

 private:
  template <class MustStop>
  bool factorise(MustStop must_stop) {
    const std::size_t n = group_.size();
    border_known_ = false;
    shift_ = 0.0;
    for (std::size_t i = 0; i < n; ++i) shift_ = std::max(shift_, std::abs(Q_(i, i)));
    if (shift_ == 0.0) shift_ = 1.0;
    SquareMatrix A = Q_;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j)
        if (group_[i] == group_[j]) A(i, j) += shift_;
    return factor_.factorise(std::move(A), must_stop);
  }

  /// A^-1 E by columns and the factor of S, in which a group without variables counts as one on its own.
  void know_border() {
    if (border_known_) return;
    const std::size_t groups = members_of_.size();
    SquareMatrix S(groups);
    border_.assign(groups, std::vector<double>(group_.size(), 0.0));
    for (std::size_t g = 0; g < groups; ++g) {
      if (members_of_[g] == 0) S(g, g) = 1.0;
      for (std::size_t i = 0; i < group_.size(); ++i) border_[g][i] = group_[i] == static_cast<Index>(g) ? 1.0 : 0.0;
      factor_.solve(border_[g].data());
      for (std::size_t i = 0; i < group_.size(); ++i) S(group_[i], g) += border_[g][i];
    }
    schur_.factorise(std::move(S), [] { return false; });
    border_known_ = true;
  }

  /// Calls use(entry, entry of its group) for each variable and column.
  template <std::size_t columns, class Use>
  void for_each_entry(Use use) const {
    for (std::size_t i = 0; i < group_.size(); ++i)
      for (std::size_t c = 0; c < columns; ++c) use(i * columns + c, group_[i] * columns + c);
  }

  /// Takes the rounding errors out of E'd = s, which solvers rely on.
  template <std::size_t columns>
  void meet_sums(std::vector<double>& d, std::span<const double> s) const {
    std::vector<double> excess(s.size());
    for (std::size_t k = 0; k < excess.size(); ++k) excess[k] = -s[k];
    for_each_entry<columns>([&](std::size_t here, std::size_t of_group) { excess[of_group] += d[here]; });
    for_each_entry<columns>(
        [&](std::size_t here, std::size_t of_group) { d[here] -= excess[of_group] / members_of_[of_group / columns]; });
  }

  /// What is left of the right-hand sides.
  template <std::size_t columns>
  Solution residual(const Solution& x, std::span<const double> b, std::span<const double> s) const {
    Solution left{multiply<columns>(x.d), {s.begin(), s.end()}};
    for_each_entry<columns>([&](std::size_t here, std::size_t of_group) {
      left.d[here] = b[here] - left.d[here] - x.r[of_group];
      left.r[of_group] -= x.d[here];
    });
    return left;
  }

  /// By what a residual may be wrong: no entry of Q is larger than the shift.
  template <std::size_t columns>
  std::array<double, columns> rounding(const Solution& x) const {
    std::array<double, columns> sums{};
    for (std::size_t k = 0; k < x.d.size(); ++k) sums[k % columns] += std::abs(x.d[k]);
    for (double& sum : sums) sum *= std::numeric_limits<double>::epsilon() * shift_;
    return sums;
  }

  template <std::size_t columns>
  static std::array<double, columns> largest(const Solution& x) {
    std::array<double, columns> size{};
    for (const auto* part : {&x.d, &x.r})
      for (std::size_t k = 0; k < part->size(); ++k)
        size[k % columns] = std::max(size[k % columns], std::abs((*part)[k]));
    return size;
  }

  template <std::size_t columns>
  static void replace_column(std::size_t c, const Solution& from, Solution& to) {
    for (std::size_t k = c; k < to.d.size(); k += columns) to.d[k] = from.d[k];
    for (std::size_t k = c; k < to.r.size(); k += columns) to.r[k] = from.r[k];
  }

  SquareMatrix Q_;
  std::vector<Index> group_, members_of_;
  double shift_ = 0.0;
  Factor factor_, schur_;
  std::vector<std::vector<double>> border_;
  bool border_known_ = false;
};

}  // namespace wm
