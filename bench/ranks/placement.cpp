// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/placement.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/cpu_list.h"

namespace feedrate {
namespace {

constexpr std::array kNames{std::pair(Affinity::none, std::string_view("none")),
                            std::pair(Affinity::cores, std::string_view("cores")),
                            std::pair(Affinity::numa, std::string_view("numa"))};

CpuList intersection(const CpuList& a, const CpuList& b) {
  CpuList both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::vector<int> nodes_of(const NodeLayout& layout, const CpuList& cpus) {
  std::set<int> nodes;
  for (const PhysicalCore& core : layout.cores) {
    if (!intersection(core.cpus, cpus).empty()) nodes.insert(core.node);
  }
  return {nodes.begin(), nodes.end()};
}

/// The cores that have a CPU of `cpus`, each with only those CPUs, sorted by node and number. CPUs
/// that belong to no core count as cores of node 0.
std::vector<PhysicalCore> cores_within(const NodeLayout& layout, const CpuList& cpus) {
  std::vector<PhysicalCore> cores;
  std::set<int> rest(cpus.begin(), cpus.end());
  for (const PhysicalCore& core : layout.cores) {
    CpuList own = intersection(core.cpus, cpus);
    for (const int cpu : own) rest.erase(cpu);
    if (!own.empty()) cores.push_back({.cpus = std::move(own), .node = core.node});
  }
  for (const int cpu : rest) cores.push_back({.cpus = {cpu}, .node = 0});
  std::sort(cores.begin(), cores.end(), [](const PhysicalCore& a, const PhysicalCore& b) {
    return std::pair(a.node, a.cpus.front()) < std::pair(b.node, b.cpus.front());
  });
  return cores;
}

CpuList cpus_of(const std::vector<PhysicalCore>& cores) {
  CpuList cpus;
  for (const PhysicalCore& core : cores) {
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

/// Whole cores; hardware threads if there are fewer cores than shares; else a shared CPU.
CpuList share_of(const std::vector<PhysicalCore>& cores, std::size_t index, std::size_t count,
                 std::string& note) {
  const auto slice = [&](const auto& all) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(all.size() * index / count);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(all.size() * (index + 1) / count);
    return std::decay_t<decltype(all)>(first, last);
  };
  if (cores.size() >= count) return cpus_of(slice(cores));
  CpuList threads;
  for (const PhysicalCore& core : cores) {
    threads.insert(threads.end(), core.cpus.begin(), core.cpus.end());
  }
  if (threads.size() >= count) {
    note = "shares a core with another rank";
    return slice(threads);
  }
  note = "shares a CPU with another rank";
  return {threads[index % threads.size()]};
}

/// The NUMA node of a rank: its GPU's, or without GPUs the nodes in turn, in blocks.
std::optional<int> home_of(const NodeLayout& layout, const std::vector<PhysicalCore>& cores,
                           std::size_t rank, std::size_t count) {
  if (!layout.gpus.empty()) return layout.gpus[rank % layout.gpus.size()].node;
  const std::vector<int> nodes = nodes_of(layout, cpus_of(cores));
  if (nodes.empty()) return std::nullopt;
  return nodes[rank * nodes.size() / count];
}

CpuList numa_share(const NodeLayout& layout, const std::vector<PhysicalCore>& cores,
                   std::size_t rank, std::size_t count, std::string& note) {
  const std::optional<int> home = home_of(layout, cores, rank, count);
  if (!home) {
    CpuList all = share_of(cores, rank, count, note);
    if (!layout.gpus.empty()) note = "the NUMA node of its GPU is not known";
    return all;
  }
  std::vector<PhysicalCore> near;
  std::copy_if(cores.begin(), cores.end(), std::back_inserter(near),
               [&](const PhysicalCore& core) { return core.node == *home; });
  if (near.empty()) {
    CpuList all = share_of(cores, rank, count, note);
    note = fmt::format("may use no core of its GPU's NUMA node {}", *home);
    return all;
  }
  std::size_t before = 0;
  std::size_t sharing = 0;
  for (std::size_t other = 0; other < count; ++other) {
    if (home_of(layout, cores, other, count) != home) continue;
    before += other < rank ? 1 : 0;
    ++sharing;
  }
  return share_of(near, before, sharing, note);
}

CpuList keep_own(const NodeLayout& layout, const std::vector<CpuList>& allowed, std::size_t rank,
                 Affinity affinity, std::string& note) {
  const CpuList& own = allowed[rank];
  for (std::size_t other = 0; other < allowed.size(); ++other) {
    if (other != rank && !intersection(own, allowed[other]).empty()) {
      note = fmt::format("the launcher gave some of its CPUs to rank {} of this node, too", other);
    }
  }
  if (affinity != Affinity::numa || layout.gpus.empty()) return own;
  const std::optional<int> home = layout.gpus[rank % layout.gpus.size()].node;
  if (!home) return own;
  std::vector<PhysicalCore> near = cores_within(layout, own);
  std::erase_if(near, [&](const PhysicalCore& core) { return core.node != *home; });
  if (!near.empty()) return cpus_of(near);
  note = fmt::format("the launcher gave it no core of its GPU's NUMA node {}", *home);
  return own;
}

CpuList choose(const NodeLayout& layout, const std::vector<CpuList>& allowed, std::size_t rank,
               Affinity affinity, std::string& note) {
  if (affinity == Affinity::none) return allowed[rank];
  const bool are_same = std::all_of(allowed.begin(), allowed.end(),
                                    [&](const CpuList& other) { return other == allowed.front(); });
  if (!are_same) return keep_own(layout, allowed, rank, affinity, note);
  const std::vector<PhysicalCore> cores = cores_within(layout, allowed.front());
  return affinity == Affinity::cores ? share_of(cores, rank, allowed.size(), note)
                                     : numa_share(layout, cores, rank, allowed.size(), note);
}

}  // namespace

std::string_view to_string(Affinity affinity) {
  for (const auto& [value, name] : kNames) {
    if (value == affinity) return name;
  }
  return "";
}

Affinity parse_affinity(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  throw ConfigError(fmt::format("affinity '{}': must be none, cores or numa", text));
}

std::vector<RankPlacement> place_ranks(const NodeLayout& layout,
                                       const std::vector<CpuList>& allowed, Affinity affinity) {
  std::vector<RankPlacement> placements;
  for (std::size_t rank = 0; rank < allowed.size(); ++rank) {
    RankPlacement& placement = placements.emplace_back();
    placement.local_rank = static_cast<int>(rank);
    placement.cpus = choose(layout, allowed, rank, affinity, placement.note);
    placement.cores = static_cast<int>(cores_within(layout, placement.cpus).size());
    placement.nodes = nodes_of(layout, placement.cpus);
    if (layout.gpus.empty()) continue;
    placement.gpu_node = layout.gpus[rank % layout.gpus.size()].node;
  }
  return placements;
}

}  // namespace feedrate
