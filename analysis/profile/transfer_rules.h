// SPDX-License-Identifier: Apache-2.0
// Rules on copies from the host to a GPU, for advise() alone; the limits are ours. Pure functions;
// any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

/// Below these shares of the step, copies are not worth a change.
inline constexpr double kPageableLimit = 0.01;
inline constexpr double kBlockingLimit = 0.01;
inline constexpr double kExposedCopyLimit = 0.05;

/// Copies from pageable memory take more of the step than the limit.
[[nodiscard]] std::optional<Advice> advise_pageable_copies(const AdviceInput& input);

/// The host waits for copies more of the step than the limit: a copy call and a wait for its stream
/// right behind it on the same thread, as PyTorch's .to() makes them unless non_blocking is set.
[[nodiscard]] std::optional<Advice> advise_blocking_copies(const AdviceInput& input);

/// Copies that no kernel hides take more of some GPU's steps than the limit.
[[nodiscard]] std::optional<Advice> advise_copy_overlap(const AdviceInput& input);

}  // namespace feedrate
