// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a repeat, which docs/columns.md defines, from the marks of a measurement.
// A pure function.
#pragma once
#include "bench/engines/protocol.h"
#include "core/result.h"

namespace feedrate {

/// Throws Error if the device was busy for longer than the window.
[[nodiscard]] Repeat summarize(const Measurement& measurement);

}  // namespace feedrate
