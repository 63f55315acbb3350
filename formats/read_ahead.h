// SPDX-License-Identifier: Apache-2.0
// The kernel's read-ahead of one open file. Any thread.
#pragma once
#include "formats/read_options.h"

namespace feedrate {

/// Lets the kernel read ahead of what is asked for, or not. It is advice: a filesystem that takes
/// none reads as it likes.
void advise(int fd, ReadOrder order) noexcept;

}  // namespace feedrate
