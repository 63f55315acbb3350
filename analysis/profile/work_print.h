// SPDX-License-Identifier: Apache-2.0
// Prints tables of the kernels, operators and memory in a trace. Any thread.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/kernel_table.h"
#include "analysis/profile/operator_table.h"

namespace feedrate {

/// Rows printed per table; the JSON has all.
inline constexpr std::size_t kMostWorkRows = 10;

void print_work_types(std::ostream& out, const KernelTable& table);
void print_kernels(std::ostream& out, const KernelTable& table, const NameTable& names);
void print_operators(std::ostream& out, const std::vector<OperatorRow>& operators,
                     const NameTable& names);

/// Prints nothing without [memory] events (profile_memory=True).
void print_memory_peaks(std::ostream& out, const Timeline& timeline);

}  // namespace feedrate
