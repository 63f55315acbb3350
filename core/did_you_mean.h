// SPDX-License-Identifier: Apache-2.0
// Suggestions for errors about unknown names. Pure functions; any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// "; did you mean num_workers?": the shortest known word that begins or ends with `word`, else the
/// one with the fewest edits. Empty if none is close.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

/// Like did_you_mean(), but "; must be one of a, b, c" if none is close. A short list is added in
/// both cases.
[[nodiscard]] std::string did_you_mean_or_list(std::string_view word,
                                               const std::vector<std::string_view>& known);

}  // namespace feedrate
