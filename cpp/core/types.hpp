#pragma once
// The few words every other header uses.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace wm {

/// A point, a variable or a position among the active ones.
using Index = std::int32_t;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace wm
