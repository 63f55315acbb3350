// SPDX-License-Identifier: Apache-2.0
#include "core/host/ranks.h"

#include <string_view>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kMostRanks = 1 << 16;

std::optional<int> to_count(std::string_view text) {
  const auto number = parse_unsigned(text);
  if (!number || *number == 0 || *number > kMostRanks) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<int> find_count(const EnvironmentLookup& lookup, const char* name) {
  const auto text = lookup(name);
  return text ? to_count(*text) : std::nullopt;
}

std::optional<int> find_step_tasks(const EnvironmentLookup& lookup) {
  const auto list = lookup("SLURM_STEP_TASKS_PER_NODE");
  if (!list) return std::nullopt;
  const auto node = lookup("SLURM_NODEID");
  return slurm_tasks_of_node(*list, node ? parse_unsigned(*node).value_or(0) : 0);
}

}  // namespace

NodeRanks ranks_on_node(const EnvironmentLookup& lookup) {
  if (const auto count = find_count(lookup, "LOCAL_WORLD_SIZE")) return {*count, *count > 1};
  if (const auto count = find_count(lookup, "OMPI_COMM_WORLD_LOCAL_SIZE")) return {*count, false};
  if (const auto count = find_step_tasks(lookup)) return {*count, false};
  if (const auto count = find_count(lookup, "SLURM_NTASKS_PER_NODE")) return {*count, *count > 1};
  return {};
}

}  // namespace feedrate
