#pragma once
// Threads, hidden from everything else.

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "types.hpp"

namespace wm {

/// Calls body(begin, end) on `threads` nearly equal parts of [0, n); an exception of any part is thrown again here.
/// Parts for which no thread can be had are done by this one.
template <class Body>
void parallel_for(Index n, int threads, Body body) {
  threads = std::max(1, std::min<int>(threads, n));
  if (threads == 1) return body(Index{0}, n);
  std::vector<std::exception_ptr> errors(threads);
  std::vector<std::thread> workers;
  workers.reserve(threads);
  auto part = [&](int t) {
    try {
      body(static_cast<Index>(std::int64_t{n} * t / threads), static_cast<Index>(std::int64_t{n} * (t + 1) / threads));
    } catch (...) {
      errors[t] = std::current_exception();
    }
  };
  int begun = 1;
  try {
    for (; begun < threads; ++begun) workers.emplace_back(part, begun);
  } catch (...) {
  }
  part(0);
  for (int t = begun; t < threads; ++t) part(t);
  for (auto& worker : workers) worker.join();
  for (auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace wm
