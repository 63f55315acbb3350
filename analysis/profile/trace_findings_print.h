// SPDX-License-Identifier: Apache-2.0
// What was found in a trace beside the three summaries, for a terminal. Any thread; the stream is
// the caller's.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/copy_findings.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/loader_stalls.h"

namespace feedrate {

/// A line for each step, in ms: its roles, and what it waited for the loader, raw and exposed. Of
/// very many steps the first and the last ones. Roles that no step has are left out.
void print_steps(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

void print_loader(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

/// Says so where there are none.
void print_copies(std::ostream& out, const std::vector<CopyFinding>& copies);

}  // namespace feedrate
