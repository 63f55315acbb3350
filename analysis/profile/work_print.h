// SPDX-License-Identifier: Apache-2.0
// Tables of what ran in a trace: kernels, operators, memory. Any thread.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/kernel_table.h"
#include "analysis/profile/operator_table.h"

namespace feedrate {

/// The first rows; the rest is in the JSON.
inline constexpr std::size_t kMostWorkRows = 10;

void print_work_types(std::ostream& out, const KernelTable& table);
void print_kernels(std::ostream& out, const KernelTable& table, const NameTable& names);
void print_operators(std::ostream& out, const std::vector<OperatorRow>& operators,
                     const NameTable& names);

/// Nothing where no [memory] event was recorded (profile_memory=True).
void print_memory_peaks(std::ostream& out, const Timeline& timeline);

}  // namespace feedrate
