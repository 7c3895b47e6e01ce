#pragma once
// The variables a solver is working on: gradient and room to move of the active ones, compact, by position; alpha
// itself is that of the iterate.
//
// Positions 0 .. size()-1 keep the order of the variables, so a group stays a contiguous range and a kernel row can be
// read from left to right. alpha changes by `move`, a pair step, which updates the gradient and finds the extreme
// gradients of both sides in the same sweep; by `change`, many variables at once; and by `scale`.

#include <cmath>
#include <type_traits>
#include <vector>

#include "exact_block.hpp"
#include "iterate.hpp"
#include "row_cache.hpp"
#include "square_matrix.hpp"
#include "sweeps.hpp"

namespace wm {

/// An ordered working pair: a_i rises, a_j falls; slope = G_i - G_j, curvature = K_ii - 2 K_ij + K_jj.
struct Pair {
  Index i = -1, j = -1;  // positions
  double slope = 0.0, curvature = 0.0;
  bool found() const { return i >= 0; }
};

/// What a run computes with: kernel entries as they are kept, and gradients.
template <class Real>
struct Format {
  using Entry = Real;
  using Sum = double;
};

/// All in single precision, for somebody who checks what comes of it and asks for no more than it can tell.
struct Rough {};
template <>
struct Format<Rough> {
  using Entry = float;
  using Sum = float;
};

template <class Real>
class State {
 public:
  using Entry = typename Format<Real>::Entry;
  using Sum = typename Format<Real>::Sum;

  State(Iterate& iterate, std::size_t cache_bytes, Counters& counters)
      : iterate_(iterate),
        cache_(iterate.gram(), iterate.slots(), cache_bytes, counters),
        shared_rows_(iterate.slots().shared()),
        counters_(counters) {
    for (const double a : iterate.alpha) travelled_ += std::abs(a);
    activate_all();
  }

  Index size() const { return static_cast<Index>(variable.size()); }
  Index total() const { return iterate_.problem().size(); }
  Index groups() const { return static_cast<Index>(extremes.size()); }

  // By position.
  std::vector<Index> variable;
  std::vector<Sum> gradient;
  std::vector<double> rise, fall;  // upper - alpha, alpha - lower
  std::vector<Index> group_begin;

  double alpha(Index k) const { return iterate_.alpha[variable[k]]; }
  double lower(Index k) const { return iterate_.problem().lower[variable[k]]; }
  double upper(Index k) const { return iterate_.problem().upper[variable[k]]; }
  double diagonal(Index k) const {
    return rough || diagonals_.empty() ? iterate_.diagonal(variable[k]) : double(diagonals_[k]);
  }

  std::vector<Extremes> extremes;  // by group: arg max of G over what can rise, arg min over what can fall

  /// psi(a) on the active variables, and the group it is reached in.
  double violation() const { return extremes[worst_group_].gap(); }
  Index worst_group() const { return worst_group_; }

  Index group_of(Index k) const {
    Index g = 0;
    while (k >= group_begin[g + 1]) ++g;
    return g;
  }
  bool can_rise(Index k) const { return rise[k] > 0.0; }
  bool can_fall(Index k) const { return fall[k] > 0.0; }

  /// Position of a variable, or -1 if it has been set aside.
  Index position(Index v) const { return position_[v]; }

  const Entry* row(Index k) { return cache_.row(slot(k)); }
  bool rows_lie_ready() const { return cache_.lie_ready(); }
  bool row_cached(Index k) const { return cache_.contains(slot(k)); }

  /// K_ij from the row of i.
  double kernel(const Entry* row_i, Index j) const {
    return static_cast<double>(shared_rows_ ? row_i[column_[j]] : row_i[j]);
  }

  /// Curvatures this small count as zero.
  double flat(Index i, Index j) const { return sweep::flat(diagonal(i), diagonal(j)); }

  Pair pair(Index i, Index j, double kernel_ij) const {
    return {i, j, double(gradient[i]) - double(gradient[j]), diagonal(i) + diagonal(j) - 2.0 * kernel_ij};
  }

  /// What rounding of the rows may have done to the gradient: of an entry, times the way the coefficients have gone.
  double error() const { return iterate_.gram().rounding(arithmetic_of<Entry>) * travelled_; }

  /// How far (a_i, a_j) can go along (+1, -1), and against it.
  double room_ahead(const Pair& p) const { return std::min(rise[p.i], fall[p.j]); }
  double room_behind(const Pair& p) const { return std::min(fall[p.i], rise[p.j]); }

  /// The partner of the riser i with the largest Newton gain slope^2 / (2 curvature).
  Pair second_order_partner(Index i) {
    const Entry* row_i = row(i);
    const Index g = group_of(i);
    const Index j = with_columns([&](auto column) {
      return sweep::second_order(row_i, column, gradient.data(), diagonals(), falls(), gradient[i], diagonal(i),
                                 group_begin[g], group_begin[g + 1]);
    });
    return j < 0 ? Pair{} : pair(i, j, kernel(row_i, j));
  }

  /// The pair with the largest exact gain among those that contain s (as riser only, or on either side).
  struct Gainful {
    Pair pair;
    double gain = 0.0;
  };
  Gainful most_gainful(Index s, bool only_as_riser = false) {
    const Entry* row_s = row(s);
    const Index g = group_of(s);
    const sweep::Best best = with_columns([&](auto column) {
      return sweep::most_gainful(row_s, column, gradient.data(), diagonals(), rise.data(), fall.data(), s,
                                 only_as_riser, group_begin[g], group_begin[g + 1]);
    });
    if (best.index < 0) return {};
    const double k = kernel(row_s, best.index);
    return {gradient[s] > gradient[best.index] ? pair(s, best.index, k) : pair(best.index, s, k), best.value};
  }

  /// a_i += step, a_j -= step; gradient and extremes follow.
  void move(const Pair& p, double step) {
    prefetch(p);
    const Entry* row_i = row(p.i);
    const Entry* row_j = row(p.j);
    add(p.i, step);
    add(p.j, -step);
    for (Index g = 0; g < groups(); ++g)
      extremes[g] = with_columns([&](auto column) {
        return sweep::update(row_i, row_j, column, step, gradient.data(), rises(), falls(), group_begin[g],
                             group_begin[g + 1]);
      });
    if (!iterate_.problem().ridge.empty()) {
      gradient[p.i] -= step * iterate_.problem().ridge[variable[p.i]];
      gradient[p.j] += step * iterate_.problem().ridge[variable[p.j]];
      rescan();
    } else {
      find_worst_group();
    }
  }

  /// a += changes at these positions with the gradient following, by blocks of rows, but not the extremes: call
  /// rescan() after it. False, and nothing is changed, if `must_stop()` said so.
  template <class MustStop>
  bool change(const std::vector<Index>& positions, const std::vector<double>& changes, MustStop must_stop) {
    const Entries net = net_changes(positions, changes);
    std::vector<char> stays_free(iterate_.slots().size(), 0);  // and will move again
    for (std::size_t a = 0; a < positions.size(); ++a)
      if (changes[a] < rise[positions[a]] && -changes[a] < fall[positions[a]]) stays_free[slot(positions[a])] = 1;
    std::vector<double> product(cache_.columns(), 0.0);
    if (!cache_.accumulate(net.slots, net.values.data(), product.data(), iterate_.threads(), must_stop,
                           [&](std::size_t r) { return stays_free[net.slots[r]] != 0; }))
      return false;
    for (const Index s : net.slots)
      if (!stays_free[s]) cache_.forget(s);
    for (Index k = 0; k < size(); ++k) gradient[k] -= product[shared_rows_ ? column_[k] : k];
    for (std::size_t a = 0; a < positions.size(); ++a) {
      add(positions[a], changes[a]);
      gradient[positions[a]] -= changes[a] * iterate_.problem().ridge_of(variable[positions[a]]);
    }
    return true;
  }

  /// Q among these positions, as precise as the rows are; false if `must_stop()` said so.
  template <class MustStop>
  bool block(const std::vector<Index>& positions, Entry* Q, MustStop must_stop) {
    std::vector<Index> rows, columns;
    for (Index k : positions) {
      rows.push_back(slot(k));
      columns.push_back(shared_rows_ ? column_[k] : k);
    }
    if (!cache_.block(rows, columns, Q, iterate_.threads(), must_stop)) return false;
    for (std::size_t a = 0; a < positions.size(); ++a) Q[a * positions.size() + a] = Entry(diagonal(positions[a]));
    return true;
  }

  /// Room for a block of kernel values, which counts as cached rows do.
  void lend_cache(std::size_t bytes) { cache_.lend(bytes); }

  /// Q among these positions, in double precision; false if `must_stop()` said so.
  template <class MustStop>
  bool exact_block(const std::vector<Index>& positions, SquareMatrix& Q, MustStop must_stop) const {
    std::vector<Index> points(positions.size());
    for (std::size_t a = 0; a < points.size(); ++a) points[a] = iterate_.problem().point(variable[positions[a]]);
    if (!wm::exact_block(iterate_.gram(), points, Q, must_stop)) return false;
    counters_.kernel_evaluations += static_cast<std::int64_t>(points.size() * points.size());
    for (std::size_t a = 0; a < positions.size(); ++a) Q(a, a) = diagonal(positions[a]);
    return true;
  }

  /// a *= factor, for a cone: the gradient follows without the kernel, since Q a = linear - G.
  void scale(double factor) {
    for (Index k = 0; k < size(); ++k) {
      const double linear = iterate_.problem().linear[variable[k]];
      gradient[k] = linear - factor * (linear - gradient[k]);
      place(k, factor * alpha(k));
    }
    rescan();
  }

  /// The factor along the ray through a that maximises the objective; 1 at an optimum.
  double best_scale() const {
    double linear_part = 0.0, quadratic_part = 0.0;
    for (Index k = 0; k < size(); ++k) {
      const double linear = iterate_.problem().linear[variable[k]];
      linear_part += linear * alpha(k);
      quadratic_part += alpha(k) * (linear - gradient[k]);
    }
    return linear_part <= 0.0 ? 1.0 : quadratic_part <= 0.0 ? infinity : linear_part / quadratic_part;
  }

  /// f(a), while all variables are active.
  double objective() const {
    double sum = 0.0;
    for (Index k = 0; k < size(); ++k) sum += 0.5 * alpha(k) * (iterate_.problem().linear[variable[k]] + gradient[k]);
    return sum;
  }

  void rescan() {
    for (Index g = 0; g < groups(); ++g)
      extremes[g] = sweep::extremes(gradient.data(), rises(), falls(), group_begin[g], group_begin[g + 1]);
    find_worst_group();
  }

  /// Keeps only the positions for which keep(k) holds.
  template <class Keep>
  void restrict_to(Keep keep) {
    std::vector<Index> kept;
    std::vector<Sum> kept_gradient;
    for (Index k = 0; k < size(); ++k)
      if (keep(k)) {
        kept.push_back(variable[k]);
        kept_gradient.push_back(gradient[k]);
      }
    if (kept.size() == variable.size()) return;
    ++counters_.shrinks;
    load(std::move(kept));
    gradient = std::move(kept_gradient);
    rescan();
  }

  /// All variables again, with the iterate's gradient.
  void activate_all() {
    std::vector<Index> all(total());
    for (Index v = 0; v < total(); ++v) all[v] = v;
    load(std::move(all));
    const std::vector<double> exact = iterate_.gradient();
    gradient.assign(exact.begin(), exact.end());
    rescan();
  }

 private:
  static constexpr bool rough = std::is_same_v<Sum, float>;

  Index slot(Index k) const { return iterate_.slots().of(variable[k]); }

  /// By slot: variables that share a row act together.
  Entries net_changes(const std::vector<Index>& positions, const std::vector<double>& changes) const {
    std::vector<std::pair<Index, double>> by_slot;
    for (std::size_t a = 0; a < positions.size(); ++a) by_slot.emplace_back(slot(positions[a]), changes[a]);
    std::stable_sort(by_slot.begin(), by_slot.end(), [](auto& a, auto& b) { return a.first < b.first; });
    Entries net;
    for (std::size_t a = 0; a < by_slot.size();) {
      const Index s = by_slot[a].first;
      double sum = 0.0;
      for (; a < by_slot.size() && by_slot[a].first == s; ++a) sum += by_slot[a].second;
      if (sum != 0.0) net.append(s, sum);
    }
    return net;
  }

  /// Positive where a variable can rise, or fall, for the sweeps.
  const Sum* rises() const { return marks(rise, rough_rise_); }
  const Sum* falls() const { return marks(fall, rough_fall_); }
  static const Sum* marks(const std::vector<double>& exact, const std::vector<float>& roughly) {
    if constexpr (rough)
      return roughly.data();
    else
      return exact.data();
  }

  /// Q_kk by position, written out for the sweeps when one first needs them.
  const Sum* diagonals() {
    if (diagonals_.empty()) {
      std::vector<Sum> all(size());
      for (Index k = 0; k < size(); ++k) all[k] = diagonal(k);
      diagonals_ = std::move(all);
    }
    return diagonals_.data();
  }

  template <class Sweep>
  auto with_columns(Sweep run) const {
    return shared_rows_ ? run(sweep::Listed{column_.data()}) : run(sweep::Straight{});
  }

  /// Everything but the gradient.
  void load(std::vector<Index> variables) {
    const Problem& problem = iterate_.problem();
    variable = std::move(variables);
    const std::size_t n = variable.size();
    for (auto* array : {&rise, &fall}) array->resize(n);
    if (rough)
      for (auto* array : {&rough_rise_, &rough_fall_}) array->resize(n);
    diagonals_.clear();
    position_.assign(total(), -1);
    group_begin.assign(problem.groups() + 1, 0);
    for (Index k = 0, g = 0; k < size(); ++k) {
      const Index v = variable[k];
      position_[v] = k;
      place(k, alpha(k));
      while (v >= problem.group_begin[g + 1]) group_begin[++g] = k;
      for (Index later = g + 1; later <= problem.groups(); ++later) group_begin[later] = k + 1;
    }
    extremes.assign(problem.groups(), {});
    choose_columns();
  }

  void choose_columns() {
    auto columns = std::make_shared<std::vector<Index>>();
    const Slots& slots = iterate_.slots();
    if (!shared_rows_) {
      *columns = variable;
    } else {
      std::vector<Index> at(slots.size(), -1);
      for (Index v : variable) at[slots.of(v)] = 0;
      for (Index s = 0; s < slots.size(); ++s)
        if (at[s] == 0) {
          at[s] = static_cast<Index>(columns->size());
          columns->push_back(s);
        }
      column_.resize(size());
      for (Index k = 0; k < size(); ++k) column_[k] = at[slots.of(variable[k])];
    }
    cache_.set_columns(std::move(columns));
  }

  /// Changes one alpha; a value within rounding of a bound becomes the bound, so that the sets of what can rise and
  /// fall are exact. It is the rounding of all that have a share in the sum.
  void add(Index k, double step) {
    travelled_ += std::abs(step);
    double value = alpha(k) + step;
    const double sum = 16.0 * std::numeric_limits<double>::epsilon() * std::max(largest_, std::abs(step));
    const double rounding = std::min(sum, 1e-6 * (upper(k) - lower(k)));  // a tiny box is a box
    if (upper(k) - value <= rounding) value = upper(k);
    if (value - lower(k) <= rounding) value = lower(k);
    place(k, value);
  }

  void place(Index k, double value) {
    iterate_.alpha[variable[k]] = value;
    largest_ = std::max(largest_, std::abs(value));
    rise[k] = upper(k) - value;
    fall[k] = value - lower(k);
    if constexpr (rough) {
      rough_rise_[k] = rise[k] > 0.0;
      rough_fall_[k] = fall[k] > 0.0;
    }
  }

  /// Where a call to the Gram is dear, the rows likely to be needed next come with the missing one: the worst
  /// violators.
  void prefetch(const Pair& p) {
    const Index block = iterate_.gram().preferred_block();
    if (block <= 1 || (row_cached(p.i) && row_cached(p.j))) return;
    std::vector<std::pair<double, Index>> candidates;
    for (Index g = 0; g < groups(); ++g)
      for (Index k = group_begin[g]; k < group_begin[g + 1]; ++k) {
        double score = -infinity;
        if (can_rise(k)) score = std::max(score, gradient[k] - extremes[g].low);
        if (can_fall(k)) score = std::max(score, extremes[g].high - gradient[k]);
        if (!row_cached(k)) candidates.emplace_back(-score, k);
      }
    const std::size_t extra = std::min<std::size_t>(candidates.size(), block > 2 ? block - 2 : 0);
    std::partial_sort(candidates.begin(), candidates.begin() + extra, candidates.end());
    std::vector<Index> wanted{slot(p.i)};
    if (slot(p.j) != slot(p.i)) wanted.push_back(slot(p.j));
    for (std::size_t c = 0; c < extra; ++c)
      if (std::find(wanted.begin(), wanted.end(), slot(candidates[c].second)) == wanted.end())
        wanted.push_back(slot(candidates[c].second));
    cache_.fetch(wanted, 1);
  }

  void find_worst_group() {
    worst_group_ = 0;
    for (Index g = 1; g < groups(); ++g)
      if (extremes[g].gap() > extremes[worst_group_].gap()) worst_group_ = g;
  }

  Iterate& iterate_;
  RowCache<Entry> cache_;
  const bool shared_rows_;  // several variables may use one row (regression): columns are then looked up
  std::vector<Index> column_;
  std::vector<Index> position_;
  std::vector<Sum> diagonals_;
  std::vector<float> rough_rise_, rough_fall_;  // 1 or 0: whether there is room
  Index worst_group_ = 0;
  double travelled_ = 0.0, largest_ = 0.0;  // the steps so far, and the largest alpha
  Counters& counters_;
};

}  // namespace wm
