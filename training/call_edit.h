// SPDX-License-Identifier: Apache-2.0
// The line to paste, as an edit of the user's own call: its text in the script with other values
// for the arguments that change. The rest is kept. Pure; any thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "training/messages.h"
#include "training/text_edit.h"

namespace feedrate {

/// An argument of DataLoader that is to have another value.
struct ArgumentChange {
  std::string name;
  std::optional<std::string> value;  ///< as Python prints it; nothing: PyTorch refuses it
};

/// The changes that turn the arguments of `from` into those of `to`. Arguments that PyTorch refuses
/// without workers are removed with the workers.
[[nodiscard]] std::vector<ArgumentChange> argument_changes(const ScriptLoader& from,
                                                           const ScriptLoader& to);

/// "num_workers=4, pin_memory=True": the changes that have a value.
[[nodiscard]] std::string values_text(const std::vector<ArgumentChange>& changes);

struct CallEdit {
  std::string text;                  ///< the whole call
  std::vector<ChangedLines> lines;   ///< sorted by line
  std::vector<ArgumentChange> open;  ///< changes for which the text shows no place
};

/// REQUIRES: loader.call
[[nodiscard]] CallEdit edit_call(const ScriptLoader& loader,
                                 const std::vector<ArgumentChange>& changes);

/// Turns the settings `from` of a loader into `to`: the changed lines of the user's own call with -
/// and +, or the arguments to set if these lines are not known. Empty if nothing changes.
[[nodiscard]] std::vector<std::string> change_lines(const ScriptLoader& from,
                                                    const ScriptLoader& to);

}  // namespace feedrate
