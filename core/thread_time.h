// SPDX-License-Identifier: Apache-2.0
// The processor time of a thread. Any thread.
#pragma once
#include "core/units.h"

namespace feedrate {

/// User and system time of the calling thread since it began.
[[nodiscard]] Nanos thread_cpu_time() noexcept;

}  // namespace feedrate
