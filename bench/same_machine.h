// SPDX-License-Identifier: Apache-2.0
// The facts that tell whether two results may be combined. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Results that differ in this fact must not be combined.
[[nodiscard]] bool must_match(const std::string& name);

/// A difference may change numbers a little and deserves a warning. Includes all facts of the
/// function above.
[[nodiscard]] bool is_worth_a_warning(const std::string& name);

/// The name for messages: "the dataset", "device cuda".
[[nodiscard]] std::string fact_in_words(const std::string& name);

/// Whether `warnings` has `warning`, ignoring figures.
[[nodiscard]] bool holds_warning(const std::vector<std::string>& warnings,
                                 const std::string& warning);

}  // namespace feedrate
