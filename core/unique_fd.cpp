#include "core/unique_fd.h"

#include <unistd.h>

namespace feedrate {

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace feedrate
