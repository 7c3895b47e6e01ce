#pragma once
// A run, recorded by column.

#include <cstdint>
#include <vector>

#include "memory.hpp"

namespace wm {

struct Trace {
  std::int64_t every = 0;  // iterations between two records; 0: none

  std::vector<std::int64_t> iteration, active_size, kernel_evaluations, cache_hits;
  std::vector<Index> i, j;  // variables
  std::vector<double> objective, violation, step, newton_step, seconds;
  std::vector<std::int8_t> kind;

  bool due(std::int64_t iterations) const { return every > 0 && iterations % every == 0; }
};

/// log10-free histogram material: every planning step divided by its Newton step.
using PlanningRatios = std::vector<double>;

}  // namespace wm
