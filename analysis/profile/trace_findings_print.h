// SPDX-License-Identifier: Apache-2.0
// Prints the findings in a trace other than the three summaries. Any thread; the caller owns the
// stream.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/copy_findings.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/loader_stalls.h"

namespace feedrate {

/// Prints one line per step, in ms: its roles, and its raw and exposed waits for the loader. Omits
/// the middle of very many steps, and roles that no step has.
void print_steps(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

void print_loader(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

void print_copies(std::ostream& out, const std::vector<CopyFinding>& copies);

}  // namespace feedrate
