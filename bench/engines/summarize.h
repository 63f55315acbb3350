// SPDX-License-Identifier: Apache-2.0
// From marks to metrics: a measurement becomes a repeat. The definitions are those of
// docs/columns.md. A pure function.
#pragma once
#include "bench/engines/protocol.h"
#include "core/result.h"

namespace feedrate {

/// Throws Error where the device was busy for longer than there was time.
[[nodiscard]] Repeat summarize(const Measurement& measurement);

}  // namespace feedrate
