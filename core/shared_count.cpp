// SPDX-License-Identifier: Apache-2.0
#include "core/shared_count.h"

#include <new>

#include <sys/mman.h>

namespace feedrate {

SharedCount::SharedCount() noexcept {
  void* const memory =
      ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) count_ = new (memory) Count(0);
}

}  // namespace feedrate
