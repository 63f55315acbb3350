// SPDX-License-Identifier: Apache-2.0
#include "formats/read_ahead.h"

#include <fcntl.h>

namespace feedrate {

void advise(int fd, ReadOrder order) noexcept {
  const int advice = order == ReadOrder::kRandom ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL;
  static_cast<void>(::posix_fadvise(fd, 0, 0, advice));
}

}  // namespace feedrate
