#pragma once
// Memory for large arrays, asked of the system itself where that is possible: what a heap is given back in threads it
// may keep. The first touch of a page costs a visit to the system, so some that are given back wait for the next who
// needs as much; many problems in a row would else have the same pages emptied again and again.

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define WM_HAS_MMAP 1
#endif

namespace wm {

class Pages {
 public:
  static constexpr std::size_t size = std::size_t{1} << 21, usual = 4 * size;

  /// At least so many bytes, and never less than is usual: what is not touched takes hardly any room.
  explicit Pages(std::size_t bytes) : bytes_(std::max(usual, (bytes + size - 1) / size * size)) {
    if (bytes_ == usual && (memory_ = reuse())) return;
    memory_ = obtain(bytes_);
  }
  ~Pages() {
    if (bytes_ != usual || !leave(memory_)) release(memory_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
#ifdef WM_HAS_MMAP
  static void* obtain(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // one visit to the system for 2 MB in place of 512; a wish only
#endif
    return memory;
  }
  static void release(void* memory, std::size_t bytes) { ::munmap(memory, bytes); }
#else
  static void* obtain(std::size_t bytes) { return ::operator new(bytes, std::align_val_t{size}); }
  static void release(void* memory, std::size_t) { ::operator delete(memory, std::align_val_t{size}); }
#endif

  /// Such of the usual size that wait.
  struct Idle {
    static constexpr std::size_t most = 4;
    std::mutex mutex;
    std::vector<void*> memory;
    Idle() { memory.reserve(most); }
    ~Idle() {
      for (void* each : memory) release(each, usual);
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
