// Memory for large arrays of numbers: aligned for vectors, in large pages where the system has them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef _WIN32
#include <malloc.h>
#endif

namespace maxmargin::kernels {

#ifdef _WIN32  // which has no std::aligned_alloc
inline void* aligned_memory(size_t alignment, size_t bytes) {
  return _aligned_malloc(bytes, alignment);
}
inline void free_aligned(void* memory) { _aligned_free(memory); }
#else
inline void* aligned_memory(size_t alignment, size_t bytes) {
  return std::aligned_alloc(alignment, bytes);
}
inline void free_aligned(void* memory) { std::free(memory); }
#endif

struct FreeMemory {
  void operator()(void* memory) const { free_aligned(memory); }
};

template <class T>
using Memory = std::unique_ptr<T[], FreeMemory>;

// Uninitialised.
template <class T>
Memory<T> allocate(int64_t count) {
  constexpr size_t large_page = size_t{1} << 21;
  const size_t bytes = sizeof(T) * static_cast<size_t>(count > 0 ? count : 1);
  const size_t alignment = bytes >= 4 * large_page ? large_page : 64;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = aligned_memory(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (alignment == large_page) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return Memory<T>(static_cast<T*>(memory));
}

}  // namespace maxmargin::kernels
