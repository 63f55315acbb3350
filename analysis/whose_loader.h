// SPDX-License-Identifier: Apache-2.0
// Names the loader whose rates a result shows. Pure functions; any thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// "rates of PyTorch 2.15.0's DataLoader", "rates of feedrate's native loader", the latter followed
/// by "emulating the cost of PyTorch's (emulate)" if the cell has a cost profile. Empty if the
/// result does not name the loader.
[[nodiscard]] std::string whose_loader(const RunResult& run, const CellResult& cell);

/// Names each loader of the cells that were not skipped once: "rates of A, and of B".
[[nodiscard]] std::string whose_loader(const RunResult& run);

/// The same as a sentence: "These are rates of A, and of B."
[[nodiscard]] std::string whose_sentence(const RunResult& run);

/// Whether the rates of `cell` are the real DataLoader's.
[[nodiscard]] bool is_pytorch(const CellResult& cell);

}  // namespace feedrate
