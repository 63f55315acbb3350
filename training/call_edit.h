// SPDX-License-Identifier: Apache-2.0
// The line to paste, as an edit of the user's own call: the text that stands in the script, with
// other values for the arguments that change. Nothing else of it changes. Pure; any thread.
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
  std::optional<std::string> value;  ///< as Python writes it; nothing: PyTorch refuses it there
};

/// What turns the arguments that `from` was made with into those of `to`. What means nothing
/// without workers is removed with them: PyTorch refuses it there.
[[nodiscard]] std::vector<ArgumentChange> argument_changes(const ScriptLoader& from,
                                                           const ScriptLoader& to);

/// "num_workers=4, pin_memory=True": those that have a value.
[[nodiscard]] std::string values_text(const std::vector<ArgumentChange>& changes);

struct CallEdit {
  std::string text;                  ///< the whole call
  std::vector<ChangedLines> lines;   ///< in the order of the text
  std::vector<ArgumentChange> open;  ///< changes that the text does not show where to make
};

/// REQUIRES: loader.call
[[nodiscard]] CallEdit edit_call(const ScriptLoader& loader,
                                 const std::vector<ArgumentChange>& changes);

}  // namespace feedrate
