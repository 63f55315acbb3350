// SPDX-License-Identifier: Apache-2.0
// A value that worker processes and their parent share, in memory that fork() does not copy.
#pragma once
#include <new>
#include <stdexcept>
#include <utility>

#include <sys/mman.h>

namespace feedrate::testing {

/// T must work without its destructor and between processes: plain values and atomics.
template <typename T>
class SharedValue {
 public:
  template <typename... Args>
  explicit SharedValue(Args&&... args) {
    void* memory =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map shared memory for a test");
    value_ = ::new (memory) T(std::forward<Args>(args)...);
  }
  SharedValue(const SharedValue&) = delete;
  SharedValue& operator=(const SharedValue&) = delete;
  ~SharedValue() { ::munmap(value_, sizeof(T)); }

  [[nodiscard]] T& operator*() const noexcept { return *value_; }
  [[nodiscard]] T* operator->() const noexcept { return value_; }

 private:
  T* value_;
};

}  // namespace feedrate::testing
