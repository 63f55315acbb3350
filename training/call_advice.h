// SPDX-License-Identifier: Apache-2.0
// Formats the changes to make in the script, as lines of the summary. Pure; any thread.
#pragma once
#include <string>
#include <vector>

#include "training/messages.h"

namespace feedrate {

/// Turns the settings `from` of a loader into `to`: the changed lines of the user's own call with -
/// and +, or the arguments to set if these lines are not known. Empty if nothing changes.
[[nodiscard]] std::vector<std::string> change_lines(const ScriptLoader& from,
                                                    const ScriptLoader& to);

}  // namespace feedrate
