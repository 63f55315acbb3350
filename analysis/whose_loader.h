// SPDX-License-Identifier: Apache-2.0
// Whose rates a result shows: those of feedrate's own loader are not PyTorch's. Pure functions; any
// thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// "rates of PyTorch 2.15.0's DataLoader", "rates of feedrate's native loader", the latter with
/// "emulating the cost of PyTorch's (emulate)" behind it where the cell has a cost profile. Empty
/// where the result does not say which loader it was.
[[nodiscard]] std::string whose_loader(const RunResult& run, const CellResult& cell);

/// Of all cells that were not skipped, each loader once: "rates of A, and of B".
[[nodiscard]] std::string whose_loader(const RunResult& run);

/// The same as a sentence, "These are rates of A, and of B.", for the head of what shows them.
[[nodiscard]] std::string whose_sentence(const RunResult& run);

/// Whether the rates of `cell` are the real DataLoader's.
[[nodiscard]] bool is_pytorch(const CellResult& cell);

}  // namespace feedrate
