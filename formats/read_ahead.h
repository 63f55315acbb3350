// SPDX-License-Identifier: Apache-2.0
// The kernel's read-ahead of one open file. Any thread.
#pragma once
#include "formats/read_options.h"

namespace feedrate {

/// Turns the kernel's read-ahead on (kSequential) or off (kRandom). It is advice: a filesystem may
/// ignore it.
void advise(int fd, ReadOrder order) noexcept;

}  // namespace feedrate
