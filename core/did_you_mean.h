// SPDX-License-Identifier: Apache-2.0
// For errors that name what was not found. Pure function; any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// "; did you mean num_workers?", of the shortest known word that begins or ends with `word`, else
/// of that with the fewest letters to change; empty where none is close.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

/// The same; where none is close, "; must be one of a, b, c". A few words are listed in both
/// cases.
[[nodiscard]] std::string did_you_mean_or_list(std::string_view word,
                                               const std::vector<std::string_view>& known);

}  // namespace feedrate
