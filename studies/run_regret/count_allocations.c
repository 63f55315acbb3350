// SPDX-License-Identifier: Apache-2.0
// Preloaded into Python with PYTHONMALLOC=malloc, counts its allocations in all threads.
#include <stdatomic.h>
#include <stddef.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);

static atomic_long allocations;

long counted_allocations(void) { return allocations; }

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
