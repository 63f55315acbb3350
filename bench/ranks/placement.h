// SPDX-License-Identifier: Apache-2.0
// Which cores each rank of a node runs on, and how near they are to its GPU. Pure functions;
// bind_to() of cpu_list.h does it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ranks/node_layout.h"
#include "core/host/cpu_list.h"

namespace feedrate {

/// none: each rank may use all that it was given. cores: they divide the cores in order. numa: each
/// gets its share of the cores of its GPU's NUMA node; without GPUs ranks go to the nodes in turn,
/// in blocks.
enum class Affinity { none, cores, numa };

[[nodiscard]] std::string_view to_string(Affinity affinity);
/// Throws ConfigError, with the choices.
[[nodiscard]] Affinity parse_affinity(std::string_view text);

struct RankPlacement {
  int local_rank = 0;
  CpuList cpus;
  int cores = 0;                ///< physical ones, of which it has at least a thread
  std::vector<int> nodes;       ///< NUMA nodes of `cpus`
  std::optional<int> gpu_node;  ///< NUMA node of its GPU: the layout's, by local_rank in turn
  /// What may be doubted: cores shared with another rank, a node without cores. Empty if nothing.
  std::string note;
};

/// `allowed` holds the CPUs that each local rank may use now (allowed_cpu_list() of each). Where
/// all are the same they are divided; where they differ the launcher has divided them, and each
/// rank keeps its own: with numa those of its GPU's node, if there are any. REQUIRES: allowed is
/// not empty, nor any of it
[[nodiscard]] std::vector<RankPlacement> place_ranks(const NodeLayout& layout,
                                                     const std::vector<CpuList>& allowed,
                                                     Affinity affinity);

}  // namespace feedrate
