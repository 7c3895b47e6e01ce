#pragma once
#include <mutex>
#include <utility>
#include <vector>

namespace wm {

/// Room for `size` values of T, kept for the next one who needs some: threads come and go, fresh memory is dear.
template <class T>
class Lease {
 public:
  explicit Lease(std::size_t size) {
    {
      const std::lock_guard lock(mutex());
      if (idle().empty()) idle().emplace_back();  // where this one goes back to, without fail
      room_ = std::move(idle().back());
      idle().pop_back();
    }
    if (room_.size() < size) room_.resize(size);
  }
  ~Lease() {
    const std::lock_guard lock(mutex());
    idle().push_back(std::move(room_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  T* data() { return room_.data(); }

 private:
  static std::vector<std::vector<T>>& idle() {
    static std::vector<std::vector<T>> rooms;
    return rooms;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  std::vector<T> room_;
};

}  // namespace wm
