#pragma once
// A run, recorded by column.

#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "observer.hpp"

namespace wm {

struct Trace {
  std::int64_t every = 0;  // iterations between two records; 0: none

  std::vector<std::int64_t> iteration, active_size, kernel_evaluations, cache_hits;
  std::vector<Index> i, j;  // variables
  std::vector<double> objective, violation, step, newton_step, seconds;
  std::vector<std::int8_t> kind;

  std::vector<double> planning_ratios;  // every planning step, recorded or not, divided by its Newton step

  bool due(std::int64_t count) const { return every > 0 && count % every == 0; }

  void record(const Progress& now, std::int64_t hits, Index variable_i, Index variable_j, const Step& taken) {
    iteration.push_back(now.iteration);
    i.push_back(variable_i);
    j.push_back(variable_j);
    objective.push_back(now.objective);
    violation.push_back(now.violation);
    active_size.push_back(now.active_size);
    kernel_evaluations.push_back(now.kernel_evaluations);
    cache_hits.push_back(hits);
    step.push_back(taken.length);
    newton_step.push_back(taken.newton);
    kind.push_back(static_cast<std::int8_t>(taken.kind));
    seconds.push_back(now.seconds);
  }
};

}  // namespace wm
