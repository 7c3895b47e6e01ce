#pragma once
// What a run cost.

#include <cstdint>

namespace wm {

struct Counters {
  std::int64_t iterations = 0;
  std::int64_t rounds = 0;              // working sets of a decomposition
  std::int64_t kernel_evaluations = 0;  // entries of K computed, whatever for
  std::int64_t cache_hits = 0;          // rows found complete
  std::int64_t cache_misses = 0;        // rows computed, wholly or in part
  std::int64_t shrinks = 0;             // times variables were set aside
  std::int64_t unshrinks = 0;           // times all variables came back
  std::int64_t refreshes = 0;           // exact gradients computed in double
  std::int64_t free_steps = 0;
  std::int64_t clipped_steps = 0;
  std::int64_t planning_steps = 0;
  std::int64_t rejected_plans = 0;
  std::int64_t recalled_pairs = 0;       // planned pairs preferred to the selected one
  std::int64_t fallback_selections = 0;  // hybrid selection outside its main rule
  std::int64_t newton_rounds = 0;        // exact steps on the free variables
  std::int64_t double_precision = 0;     // 1 if rows in double were needed
  std::int64_t peak_cache_bytes = 0;
};

}  // namespace wm
