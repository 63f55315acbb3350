// SPDX-License-Identifier: Apache-2.0
// Prints the findings in a trace other than the summaries. Any thread; the caller owns the stream.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <vector>

#include "analysis/profile/copy_findings.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/kernel_table.h"
#include "analysis/profile/loader_stalls.h"
#include "analysis/profile/operator_table.h"

namespace feedrate {

/// Prints one line per step, in ms: its roles, and its raw and exposed waits for the loader. Omits
/// the middle of very many steps, and roles that no step has.
void print_steps(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

void print_loader(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader);

void print_copies(std::ostream& out, const std::vector<CopyFinding>& copies);

void print_work_types(std::ostream& out, const KernelTable& table);
/// These two print the first ten rows; the JSON has all.
void print_kernels(std::ostream& out, const KernelTable& table, const NameTable& names);
void print_operators(std::ostream& out, const std::vector<OperatorRow>& operators,
                     const NameTable& names);
/// Prints nothing without [memory] events (profile_memory=True).
void print_memory_peaks(std::ostream& out, const Timeline& timeline);

}  // namespace feedrate
