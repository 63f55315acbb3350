// SPDX-License-Identifier: Apache-2.0
// The lines of Python that use a cell's settings. Pure functions of a result; any thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// Imports, DataLoader(…) and .to(…), without the part that was played by a mock. They run as they
/// stand where `dataset`, `device` and `x`, a tensor of a batch, are defined; of sequences also
/// `tokenizer`, and `N` where they are padded to max_length; `mean` and `std` where the device
/// normalizes. Copies on a side stream are a generator, on_device(batches), of batches that are
/// sequences or, of sequences that a tokenizer pads, mappings. What no line can do is a comment.
/// Where PyTorch cannot do what the cell did (why_not_pastable()), a comment that says so.
/// REQUIRES: `cell` is of `run`.
[[nodiscard]] std::string paste_ready(const RunResult& run, const CellResult& cell);

}  // namespace feedrate
