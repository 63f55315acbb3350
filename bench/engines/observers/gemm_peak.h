// SPDX-License-Identifier: Apache-2.0
// How much of the device's arithmetic the products of a cell reach: flops_of_peak. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing where nothing was computed, or where the peak is not known.
[[nodiscard]] std::unique_ptr<StartObserver> make_gemm_peak_observer(const StartContext& start);

}  // namespace feedrate
