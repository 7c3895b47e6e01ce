#pragma once
#include <utility>
#include <vector>

namespace wm {

/// Room for `size` values of T on this thread, returned to the thread when the lease ends. Leases nest.
template <class T>
class Lease {
 public:
  explicit Lease(std::size_t size) {
    if (idle().empty()) idle().emplace_back();  // where this one goes back to, without fail
    room_ = std::move(idle().back());
    idle().pop_back();
    if (room_.size() < size) room_.resize(size);
  }
  ~Lease() { idle().push_back(std::move(room_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  T* data() { return room_.data(); }

 private:
  static std::vector<std::vector<T>>& idle() {
    static thread_local std::vector<std::vector<T>> rooms;
    return rooms;
  }

  std::vector<T> room_;
};

}  // namespace wm
