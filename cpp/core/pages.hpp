#pragma once
// Memory for large arrays. The first touch of a page costs a visit to the system, so some that are given back wait for
// the next who needs as much; many problems in a row would else have the same pages emptied again and again.

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace wm {

class Pages {
 public:
  static constexpr std::size_t size = std::size_t{1} << 21, usual = 4 * size;

  /// At least so many bytes, and never less than is usual: what is not touched takes hardly any room.
  explicit Pages(std::size_t bytes) : bytes_(std::max(usual, (bytes + size - 1) / size * size)) {
    if (bytes_ == usual && (memory_ = reuse())) return;
    memory_ = ::operator new(bytes_, std::align_val_t{size});
  }
  ~Pages() {
    if (bytes_ != usual || !leave(memory_)) ::operator delete(memory_, std::align_val_t{size});
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  /// Such of the usual size that wait.
  struct Idle {
    static constexpr std::size_t most = 4;
    std::mutex mutex;
    std::vector<void*> memory;
    Idle() { memory.reserve(most); }
    ~Idle() {
      for (void* each : memory) ::operator delete(each, std::align_val_t{size});
    }
  };
  static Idle& idle() {
    static Idle all;
    return all;
  }

  static void* reuse() {
    const std::lock_guard lock(idle().mutex);
    if (idle().memory.empty()) return nullptr;
    void* const memory = idle().memory.back();
    idle().memory.pop_back();
    return memory;
  }

  static bool leave(void* memory) {
    const std::lock_guard lock(idle().mutex);
    if (idle().memory.size() == Idle::most) return false;
    idle().memory.push_back(memory);
    return true;
  }

  std::size_t bytes_;
  void* memory_;
};

}  // namespace wm
