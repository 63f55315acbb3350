// SPDX-License-Identifier: Apache-2.0
// The answer of a run in words. Pure functions of a result; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// The cell that a tune recommends (analysis/report/recommended.h), the cells at which a watched
/// training ended, or else the proposals of decide().
[[nodiscard]] std::vector<const CellResult*> proposed_cells(const RunResult& run);

/// "Shown to be within 2 % of the best of 12 cells (95 %, 3 rounds)."
[[nodiscard]] std::string certainty_text(const RunResult& run, const Proposal& answer);

/// The heading of the lines to paste: "To use it:", or that PyTorch's DataLoader was not measured
/// with these settings.
[[nodiscard]] std::string lines_heading(const RunResult& run, const CellResult& proposed);

/// Prints an answer for each value of the swept conditions. The recorded text of a tune or a
/// watched training is printed unchanged.
void print_answer(std::ostream& out, const RunResult& run,
                  TableStyle style = TableStyle::kTerminal);

}  // namespace feedrate
