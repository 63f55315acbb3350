// SPDX-License-Identifier: Apache-2.0
// Prints a Transfer for people and as CSV. Any thread.
#pragma once
#include <cstddef>
#include <ostream>

#include "analysis/transfer.h"
#include "core/text_table.h"

namespace feedrate {

/// Tables on a terminal drop columns to fit `width`; 0: unlimited.
void print_transfer(std::ostream& out, const Transfer& transfer,
                    TableStyle style = TableStyle::kTerminal, std::size_t width = 0);

/// The cells: settings, then step_time, its error, samples_per_second and rank of A and B, in base
/// units.
void write_transfer_csv(std::ostream& out, const Transfer& transfer);

}  // namespace feedrate
