// SPDX-License-Identifier: Apache-2.0
// Rules on copies from the host to a GPU, with feedrate's own limits. Only advise() calls them.
// Pure functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

/// Shares of the step below which copies are not worth a change.
inline constexpr double kPageableLimit = 0.01;
inline constexpr double kBlockingLimit = 0.01;
inline constexpr double kExposedCopyLimit = 0.05;

/// Fires if copies from pageable memory exceed the limit.
[[nodiscard]] std::optional<Advice> advise_pageable_copies(const AdviceInput& input);

/// Fires if the host waits for copies longer than the limit: a copy call followed by a wait for its
/// stream on the same thread, as PyTorch's .to() does unless non_blocking is set.
[[nodiscard]] std::optional<Advice> advise_blocking_copies(const AdviceInput& input);

/// Fires if exposed copies exceed the limit on some GPU.
[[nodiscard]] std::optional<Advice> advise_copy_overlap(const AdviceInput& input);

}  // namespace feedrate
