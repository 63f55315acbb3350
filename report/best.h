// The fastest cell, the cells that the noise cannot tell from it, and the lines to paste. Pure
// functions of a result, which must outlive what they return; any thread.
//
// Cells that measure a limit are not settings to choose: those with a mock trainer (`trainer` is
// "discard") or a mock loader (`loader` is "cached"). They are left out, unless the run measured
// nothing else.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "report/result.h"
#include "report/text_table.h"

namespace feedrate {

/// Ok cells with a rate, highest samples_per_second first; limits are among them.
[[nodiscard]] std::vector<const CellResult*> fastest_first(const RunResult& run);

/// Null where no cell was measured.
[[nodiscard]] const CellResult* best_cell(const RunResult& run);

/// The best cell and all tied with it, the cheapest first: fewest workers, then least memory.
/// Tied: the loss against the best is no larger than the least significant difference at 95 %,
/// t sqrt(s^2/n + s^2/m), with the relative deviation s of loader starts pooled over all cells
/// (Fisher's LSD; Snedecor and Cochran, Statistical Methods, 12.9). Where either cell had one start
/// only: within 5 % of the best.
[[nodiscard]] std::vector<const CellResult*> tied_with_best(const RunResult& run);

/// The 95 % interval of samples_per_second; nothing where it is missing or not finite.
[[nodiscard]] std::optional<Interval> rate_interval(const CellResult& cell);

/// "12,345 ± 3 %": the rate and half its interval, relative.
[[nodiscard]] std::string rate_text(const CellResult& cell);

/// The lines of Python that use these settings: DataLoader(…) and .to(…); without the one whose
/// part was played by a mock.
[[nodiscard]] std::string paste_ready(const CellResult& cell);

/// Best, ties and the lines to paste for the cheapest of them.
void print_best(std::ostream& out, const RunResult& run, TableStyle style = TableStyle::kTerminal);

}  // namespace feedrate
