// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_width.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/parse_number.h"

namespace feedrate {

std::size_t terminal_width() {
  if (const char* set = std::getenv("COLUMNS")) {
    if (const auto width = parse_number<std::size_t>(set)) return *width;
  }
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace feedrate
