// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/units.h"

namespace feedrate {

/// User and system time of the calling thread since it began. Any thread.
[[nodiscard]] Nanos thread_cpu_time() noexcept;

}  // namespace feedrate
