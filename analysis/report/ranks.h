// SPDX-License-Identifier: Apache-2.0
// Writes the ranks of a run's cells as ranks.csv and as a table. Any thread.
#pragma once
#include <iosfwd>
#include <vector>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// Whether any cell that was not skipped has several ranks.
[[nodiscard]] bool has_ranks(const RunResult& run);

/// The figures of each rank, combined over starts by across_starts(); empty for a cell with one
/// rank or without a measurement.
[[nodiscard]] std::vector<RankFigures> ranks_of(const CellResult& cell);

/// One row per cell and rank: jobid, cell, rank, node, local_rank, cores, numa_nodes, device,
/// gpu_numa_node, all_reduce, and the rank's metrics in the columns of cells.csv.
void write_ranks_csv(std::ostream& out, const RunResult& run);

/// Prints the share of loading, training and waiting for others of each rank in the slowest rank's
/// step; nothing if no cell has ranks.
void print_ranks(std::ostream& out, const RunResult& run, TableStyle style);

}  // namespace feedrate
