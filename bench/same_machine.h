// SPDX-License-Identifier: Apache-2.0
// Which facts of two results tell whether their numbers are of one sample. Pure functions; any
// thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Numbers taken where this fact differs are not of one sample.
[[nodiscard]] bool tells_machines_apart(const std::string& name);

/// It may change numbers a little: worth a word. All that tell machines apart are among them.
[[nodiscard]] bool is_worth_a_warning(const std::string& name);

/// As a message names it: "the dataset", "device cuda".
[[nodiscard]] std::string fact_in_words(const std::string& name);

/// Whether `doubt` is among `doubts`, but for its figures.
[[nodiscard]] bool holds_warning(const std::vector<std::string>& warnings,
                                 const std::string& warning);

}  // namespace feedrate
