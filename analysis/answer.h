// SPDX-License-Identifier: Apache-2.0
// What a run comes to, in words: the settings to use, how sure that is, what limits them, and the
// lines to paste. Pure functions of a result; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// What a tune recommends (analysis/report/recommended.h), or a training was left with; else what
/// decide() proposes.
[[nodiscard]] std::vector<const CellResult*> proposed_cells(const RunResult& run);

/// How sure an answer is, in a sentence or two: "Shown to be within 2 % of the best of 12 cells
/// (95 %, 3 rounds)."
[[nodiscard]] std::string certainty_text(const RunResult& run, const Proposal& answer);

/// What the lines to paste stand under: "To use it:", or that PyTorch's DataLoader was not measured
/// with these settings.
[[nodiscard]] std::string lines_heading(const RunResult& run, const CellResult& proposed);

/// All of it, an answer for each of the conditions that were swept. What a tune recommends, and
/// what a watched training came to, stands as it was said.
void print_answer(std::ostream& out, const RunResult& run,
                  TableStyle style = TableStyle::kTerminal);

}  // namespace feedrate
