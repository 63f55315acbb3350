// SPDX-License-Identifier: Apache-2.0
#include "core/unique_fd.h"

#include <unistd.h>

namespace feedrate {

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace feedrate
