#pragma once
// The published variants as one small record, and the parts made from it.

#include <stdexcept>

#include "step.hpp"
#include "working_set.hpp"

namespace wm {

enum class Selection { MostViolatingPair, SecondOrder, Greedy, MaximumGain, HybridMaximumGain };
enum class StepName { Newton, OverRelaxed, PlanningAhead };

struct Policies {
  Selection selection = Selection::SecondOrder;
  GainRows gain_rows;
  double corner = 1e-8;                         // eta of the hybrid rule
  Selection fallback = Selection::SecondOrder;  // of the hybrid rule
  StepName step = StepName::Newton;
  double factor = 1.1;          // of the over-relaxed step
  int recent = 1;               // pairs planned with
  bool only_after_free = true;  // plan only after free steps (algorithm 7.3), or always (7.1)
  bool recall = false;          // planning-ahead selection (7.2)
  bool recall_always = false;   // recall after ordinary steps too (ablation)
  int recall_recent = 1;        // pairs recalled by it
  double progress = 0.9;        // eta of the planning-ahead selection
};

template <class Real>
WorkingSetPtr<Real> make_selection(Selection name, const Policies& p, Counters& counters) {
  switch (name) {
    case Selection::MostViolatingPair:
      return std::make_unique<MostViolatingPair<Real>>();
    case Selection::SecondOrder:
      return std::make_unique<SecondOrder<Real>>();
    case Selection::Greedy:
      return std::make_unique<Greedy<Real>>();
    case Selection::MaximumGain:
      return std::make_unique<MaximumGain<Real>>(p.gain_rows, make_selection<Real>(p.fallback, p, counters));
    case Selection::HybridMaximumGain:
      return std::make_unique<HybridMaximumGain<Real>>(p.gain_rows, p.corner,
                                                       make_selection<Real>(p.fallback, p, counters), counters);
  }
  throw std::invalid_argument("Unknown working-set selection.");
}

template <class Real>
WorkingSetPtr<Real> make_working_set(const Policies& p, Counters& counters) {
  auto selection = make_selection<Real>(p.selection, p, counters);
  if (!p.recall) return selection;
  return std::make_unique<PlanningSelection<Real>>(std::move(selection), p.progress, p.recall_recent, p.recall_always,
                                                   counters);
}

template <class Real>
StepRulePtr<Real> make_step_rule(const Policies& p, Counters& counters) {
  if (p.step == StepName::PlanningAhead)
    return std::make_unique<PlanningAhead<Real>>(p.recent, p.only_after_free, counters);
  return std::make_unique<ClippedNewton<Real>>(p.step == StepName::OverRelaxed ? p.factor : 1.0);
}

}  // namespace wm
