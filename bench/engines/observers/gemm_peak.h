// SPDX-License-Identifier: Apache-2.0
// Adds flops_of_peak: the share of the device's peak that matrix products reach. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing if nothing was computed or the peak is unknown.
[[nodiscard]] std::unique_ptr<StartObserver> make_gemm_peak_observer(const StartContext& start);

}  // namespace feedrate
