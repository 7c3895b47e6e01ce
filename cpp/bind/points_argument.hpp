#pragma once
#include "points.hpp"

namespace wm::bind {

/// Borrowed data; the Python object keeps the arrays alive.
struct PyPoints {
  wm::Points view;
};

}  // namespace wm::bind
