// SPDX-License-Identifier: Apache-2.0
#include "tests/loaders/decode/allocations.h"

#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FEEDRATE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FEEDRATE_SANITIZED
#endif
#endif

namespace {
thread_local std::size_t new_count = 0;
thread_local std::size_t heap_count = 0;
thread_local std::size_t lock_count = 0;

void* count_new(void* memory) {
  ++new_count;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return count_new(std::malloc(size == 0 ? 1 : size)); }

// std::stable_sort uses this form. A sanitizer's version would not match the delete below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++new_count;
  return std::malloc(size == 0 ? 1 : size);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const int problem = ::posix_memalign(&memory, static_cast<std::size_t>(alignment), size);
  return count_new(problem == 0 ? memory : nullptr);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

// These functions replace the C library's in all libraries of the process.
#ifndef FEEDRATE_SANITIZED
extern "C" {
// glibc's own functions.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++heap_count;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++heap_count;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++heap_count;
  return __libc_realloc(memory, size);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto lock = reinterpret_cast<Lock>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++lock_count;
  return lock(mutex);
}
}
#endif

namespace feedrate {

std::size_t allocations() noexcept { return new_count; }
std::size_t heap_calls() noexcept { return heap_count; }
std::size_t locks() noexcept { return lock_count; }

}  // namespace feedrate
