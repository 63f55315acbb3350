// SPDX-License-Identifier: Apache-2.0
// The lines of Python that use a cell's settings. Pure functions of a result; any thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// Returns imports, DataLoader(…) and .to(…), without parts that a mock replaced. The lines run if
/// these are defined: `dataset`, `device` and `x`, a tensor of a batch; `tokenizer` for sequences,
/// and `N` if they are padded to max_length; `mean` and `std` if the device normalizes. Copies on a
/// side stream become a generator, on_device(batches), whose batches are sequences, or mappings if
/// a tokenizer pads. Steps that no line can do are comments. If PyTorch lacks a setting of the cell
/// (why_not_pastable()), a comment says so. REQUIRES: `cell` is of `run`.
[[nodiscard]] std::string paste_ready(const RunResult& run, const CellResult& cell);

}  // namespace feedrate
