// SPDX-License-Identifier: Apache-2.0
// The ranks of a run's cells: ranks.csv, and the table across ranks. Any thread.
#pragma once
#include <iosfwd>
#include <vector>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// Whether any cell that is to be measured has several ranks.
[[nodiscard]] bool has_ranks(const RunResult& run);

/// By rank, each metric its mean over the starts of the loader, peaks their largest; empty of a
/// cell with one rank, and of one that was not measured.
[[nodiscard]] std::vector<RankFigures> ranks_of(const CellResult& cell);

/// One row a cell and rank: jobid, cell, rank, node, local_rank, cores, numa_nodes, device,
/// gpu_numa_node, all_reduce, and the rank's metrics, as cells.csv has them for all ranks together.
void write_ranks_csv(std::ostream& out, const RunResult& run);

/// What each rank of a step does, as shares of the slowest rank's step: loading, training, waiting
/// for the others. Prints nothing where no cell has ranks.
void print_ranks(std::ostream& out, const RunResult& run, TableStyle style);

}  // namespace feedrate
