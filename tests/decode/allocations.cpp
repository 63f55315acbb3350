#include "tests/decode/allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++count;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace feedrate {

std::size_t allocations() noexcept { return count; }

}  // namespace feedrate
