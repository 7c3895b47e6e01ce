#pragma once
// Working-set selection: which pair (i, j) to improve next.
//
// A policy returns a violating pair (i can rise, j can fall, G_i > G_j, same group) or, where its rule finds none, no
// pair at all. References: maximum violating pair and second order: LIBSVM 2.71 and 2.8 (Fan, Chen, Lin 2005); maximum
// gain and its hybrid: Glasmachers & Igel 2006.

#include <memory>
#include <vector>

#include "memory.hpp"
#include "state.hpp"

namespace wm {

template <class Real>
class WorkingSet {
 public:
  virtual ~WorkingSet() = default;
  virtual Pair select(State<Real>& state, const Memory& memory) = 0;

  /// Whether the latest selection came from the rule whose authors stop at a short step (maximum gain).
  virtual bool stops_at_short_step() const { return false; }
};

template <class Real>
using WorkingSetPtr = std::unique_ptr<WorkingSet<Real>>;

/// i = arg max{G : can rise},  j = arg min{G : can fall}.
template <class Real>
class MostViolatingPair final : public WorkingSet<Real> {
 public:
  Pair select(State<Real>& state, const Memory&) override {
    const Extremes& e = state.extremes[state.worst_group()];
    if (!(e.gap() > 0.0)) return {};
    return state.pair(e.up, e.down, state.kernel(state.row(e.up), e.down));
  }
};

/// i = arg max{G : can rise},  j = arg max of the Newton gain over falling partners with G_j < G_i.
template <class Real>
class SecondOrder final : public WorkingSet<Real> {
 public:
  Pair select(State<Real>& state, const Memory&) override {
    const Extremes& e = state.extremes[state.worst_group()];
    return e.gap() > 0.0 ? state.second_order_partner(e.up) : Pair{};
  }
};

/// The pair with the largest exact gain of all: the oracle the others are measured by, O(n^2) an iteration.
template <class Real>
class Greedy final : public WorkingSet<Real> {
 public:
  Pair select(State<Real>& state, const Memory&) override {
    typename State<Real>::Gainful best;
    for (Index k = 0; k < state.size(); ++k) {
      if (!state.can_rise(k)) continue;
      auto candidate = state.most_gainful(k, true);
      if (candidate.gain > best.gain) best = candidate;
    }
    return best.pair;
  }
};

/// Which rows the maximum-gain rule looks through.
struct GainRows {
  enum class Kind { TwoRows, OneRow, Recent, WholeCache } kind = Kind::TwoRows;
  int recent = 10;
};

/// The pair with the largest exact gain among those that meet the previous pair: both its rows are cached.
/// Not a complete policy: it may find nothing at a point that is not optimal.
template <class Real>
class MaximumGain final : public WorkingSet<Real> {
 public:
  explicit MaximumGain(GainRows rows, WorkingSetPtr<Real> first = std::make_unique<SecondOrder<Real>>())
      : rows_(rows), first_(std::move(first)) {}

  Pair select(State<Real>& state, const Memory& memory) override {
    short_step_rule_ = !memory.empty();
    if (memory.empty()) return first_->select(state, memory);
    typename State<Real>::Gainful best;
    for (Index k : candidates(state, memory)) {
      auto candidate = state.most_gainful(k);
      if (candidate.gain > best.gain) best = candidate;
    }
    return best.pair;
  }

  bool stops_at_short_step() const override { return short_step_rule_; }

 private:
  std::vector<Index> candidates(const State<Real>& state, const Memory& memory) const {
    std::vector<Index> positions;
    auto add = [&](Index v) {
      const Index k = state.position(v);
      if (k >= 0 && std::find(positions.begin(), positions.end(), k) == positions.end()) positions.push_back(k);
    };
    switch (rows_.kind) {
      case GainRows::Kind::TwoRows:
        add(memory.latest().i);
        add(memory.latest().j);
        break;
      case GainRows::Kind::OneRow:  // the newcomer of the latest pair: each variable serves twice in a row
        add(newcomer(memory));
        break;
      case GainRows::Kind::Recent:
        for (int p = 0; p < rows_.recent && p < static_cast<int>(memory.pairs.size()); ++p) {
          add(memory.pairs[p].i);
          add(memory.pairs[p].j);
        }
        break;
      case GainRows::Kind::WholeCache:
        for (Index k = 0; k < state.size(); ++k)
          if (state.row_cached(k)) positions.push_back(k);
        break;
    }
    return positions;
  }

  static Index newcomer(const Memory& memory) {
    const Remembered& latest = memory.latest();
    if (memory.pairs.size() < 2) return latest.j;
    const Remembered& before = memory.pairs[1];
    return latest.i == before.i || latest.i == before.j ? latest.j : latest.i;
  }

  GainRows rows_;
  WorkingSetPtr<Real> first_;
  bool short_step_rule_ = false;
};

/// Maximum gain unless both variables of the previous pair sit in a corner of the box (within eta of their bounds):
/// then, and where maximum gain finds nothing, the fall-back policy. Converges (Glasmachers & Igel 2006, theorem 1).
/// A pair never leaves its group, so with several groups the fall-back also serves those that have been left behind.
template <class Real>
class HybridMaximumGain final : public WorkingSet<Real> {
 public:
  HybridMaximumGain(GainRows rows, double eta, WorkingSetPtr<Real> fallback, Counters& counters)
      : gain_(rows), eta_(eta), fallback_(std::move(fallback)), counters_(counters) {}

  Pair select(State<Real>& state, const Memory& memory) override {
    used_gain_ = !memory.empty() && (inside(state, memory.latest().i) || inside(state, memory.latest().j)) &&
                 !left_behind(state, memory.latest());
    if (used_gain_) {
      Pair pair = gain_.select(state, memory);
      if (pair.found()) return pair;
      used_gain_ = false;
    }
    ++counters_.fallback_selections;
    return fallback_->select(state, memory);
  }

  bool stops_at_short_step() const override { return used_gain_; }

 private:
  /// Farther than eta times the box from both bounds; an infinite box is measured by the largest alpha.
  bool inside(const State<Real>& state, Index v) const {
    const Index k = state.position(v);
    if (k < 0) return false;
    double width = state.upper(k) - state.lower(k);
    if (std::isinf(width)) width = std::max(1.0, std::abs(state.alpha(k)));
    return state.rise[k] >= eta_ * width && state.fall[k] >= eta_ * width;
  }

  /// Whether some other group is more than twice as far from optimal as that of the previous pair.
  static bool left_behind(const State<Real>& state, const Remembered& pair) {
    const Index k = std::max(state.position(pair.i), state.position(pair.j));
    return 2.0 * state.extremes[state.group_of(k)].gap() < state.violation();
  }

  MaximumGain<Real> gain_;
  double eta_;
  WorkingSetPtr<Real> fallback_;
  Counters& counters_;
  bool used_gain_ = false;
};

/// Planning-ahead selection (Glasmachers 2008, algorithm 7.2). After a planning step the pairs it was planned with
/// compete with the selected one: by Newton gain if the step alone made progress (within eta of the Newton step), by
/// exact gain otherwise. Without this a planned pair might never be taken up, and the plan would not pay.
template <class Real>
class PlanningSelection final : public WorkingSet<Real> {
 public:
  PlanningSelection(WorkingSetPtr<Real> inner, double eta, int recent, bool always, Counters& counters)
      : inner_(std::move(inner)), eta_(eta), recent_(recent), always_(always), counters_(counters) {}

  Pair select(State<Real>& state, const Memory& memory) override {
    const bool after_plan = !memory.empty() && memory.kind == StepKind::Planned;
    if (!after_plan && !always_) return inner_->select(state, memory);
    const bool newton = !after_plan || std::abs(memory.ratio - 1.0) <= eta_;
    Pair best = newton ? inner_->select(state, memory) : most_gainful_riser(state);
    double best_score = score(state, best, newton);
    for (int p = 1; p <= recent_ && p < static_cast<int>(memory.pairs.size()); ++p) {
      const Pair recalled = recall(state, memory.pairs[p]);
      const double recalled_score = score(state, recalled, newton);
      if (recalled_score > best_score) {
        best = recalled;
        best_score = recalled_score;
        ++counters_.recalled_pairs;
      }
    }
    return best;
  }

  bool stops_at_short_step() const override { return inner_->stops_at_short_step(); }

 private:
  static Pair most_gainful_riser(State<Real>& state) {
    const Extremes& e = state.extremes[state.worst_group()];
    return e.gap() > 0.0 ? state.most_gainful(e.up, true).pair : Pair{};
  }

  static Pair recall(const State<Real>& state, const Remembered& pair) {
    Index i = state.position(pair.i), j = state.position(pair.j);
    if (i < 0 || j < 0) return {};
    if (state.gradient[i] < state.gradient[j]) std::swap(i, j);
    return {i, j, state.gradient[i] - state.gradient[j], pair.curvature};
  }

  static double score(const State<Real>& state, const Pair& p, bool newton) {
    if (!p.found() || !(p.slope > 0.0)) return 0.0;
    const double room = state.room_ahead(p);
    if (!(room > 0.0)) return 0.0;
    if (p.curvature <= state.flat(p.i, p.j)) return newton ? infinity : room * p.slope;
    if (newton) return 0.5 * p.slope * p.slope / p.curvature;
    const double step = std::min(room, p.slope / p.curvature);
    return step * (p.slope - 0.5 * p.curvature * step);
  }

  WorkingSetPtr<Real> inner_;
  double eta_;
  int recent_;
  bool always_;  // also after ordinary steps: the ablation of section 7.4.2
  Counters& counters_;
};

}  // namespace wm
