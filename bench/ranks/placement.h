// SPDX-License-Identifier: Apache-2.0
// Chooses the cores of each rank of a node, and tells whether they are near its GPU. Pure
// functions; bind_to() of cpu_list.h applies the result.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ranks/node_layout.h"
#include "core/host/cpu_list.h"

namespace feedrate {

/// none: each rank keeps the CPUs that it was given. cores: the ranks divide the cores in order.
/// numa: each rank gets a share of the cores of its GPU's NUMA node; without GPUs, ranks take the
/// nodes in turn, in blocks.
enum class Affinity { none, cores, numa };

[[nodiscard]] std::string_view to_string(Affinity affinity);
/// Throws ConfigError that lists the choices.
[[nodiscard]] Affinity parse_affinity(std::string_view text);

struct RankPlacement {
  int local_rank = 0;
  CpuList cpus;
  int cores = 0;                ///< physical cores of which it has at least one thread
  std::vector<int> nodes;       ///< NUMA nodes of `cpus`
  std::optional<int> gpu_node;  ///< NUMA node of its GPU; ranks take the layout's GPUs in turn
  /// A warning: cores shared with another rank, a node without cores; empty if none.
  std::string note;
};

/// `allowed` holds the CPUs that each local rank may use now (allowed_cpu_list() of each). If all
/// are the same, they are divided; if they differ, the launcher has divided them, and each rank
/// keeps its own, with numa only those of its GPU's node if there are any. REQUIRES: neither
/// `allowed` nor any of its lists is empty
[[nodiscard]] std::vector<RankPlacement> place_ranks(const NodeLayout& layout,
                                                     const std::vector<CpuList>& allowed,
                                                     Affinity affinity);

}  // namespace feedrate
