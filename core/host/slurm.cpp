// SPDX-License-Identifier: Apache-2.0
#include "core/host/slurm.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <unistd.h>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kMostTasks = 1 << 16;  // Per node.

std::optional<int> to_count(std::string_view text) {
  const auto number = parse_unsigned(text);
  if (!number || *number == 0 || *number > kMostTasks) return std::nullopt;
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

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string slurm_job_id(const EnvironmentLookup& lookup) {
  const auto array = lookup("SLURM_ARRAY_JOB_ID");
  const auto task = lookup("SLURM_ARRAY_TASK_ID");
  if (array && task) return *array + "_" + *task;
  for (const char* const name : {"SLURM_JOB_ID", "SLURM_JOBID"}) {
    if (const auto job = lookup(name)) return *job;
  }
  return "";
}

std::string batch_job_id(const EnvironmentLookup& lookup) {
  std::string job = slurm_job_id(lookup);
  for (const char* const name : {"PBS_JOBID", "LSB_JOBID"}) {
    if (job.empty()) job = lookup(name).value_or("");
  }
  return job;
}

std::string node_name(const EnvironmentLookup& lookup) {
  if (const auto node = lookup("SLURMD_NODENAME")) return *node;
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::optional<int> cpus_of_partition(const std::string& sinfo, std::string_view partition) {
  std::istringstream lines(sinfo);
  std::string name;
  std::string cpus;
  std::optional<int> least;
  while (lines >> name >> cpus) {
    const bool is_default = name.ends_with('*');
    if (is_default) name.pop_back();
    if (partition.empty() ? !is_default : name != partition) continue;
    if (cpus.ends_with('+')) cpus.pop_back();
    const auto count = static_cast<int>(parse_unsigned(cpus).value_or(0));
    if (count > 0) least = std::min(least.value_or(count), count);
  }
  return least;
}

std::optional<int> slurm_partition_cpus(const EnvironmentLookup& lookup) {
  FILE* const sinfo = ::popen("timeout 10 sinfo --noheader --format='%P %c' 2>/dev/null", "r");
  if (!sinfo) return std::nullopt;
  std::string text;
  std::array<char, 4096> some{};
  for (std::size_t size; (size = std::fread(some.data(), 1, some.size(), sinfo)) > 0;) {
    text.append(some.data(), size);
  }
  ::pclose(sinfo);
  return cpus_of_partition(text, lookup("SBATCH_PARTITION").value_or(""));
}

std::optional<int> slurm_tasks_of_node(std::string_view list, std::uint64_t node) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    const std::size_t bracket = item.find("(x");
    std::uint64_t nodes = 1;
    if (bracket != std::string_view::npos) {
      const std::string_view times = item.substr(bracket + 2);
      nodes = parse_unsigned(times.substr(0, times.find(')'))).value_or(1);
    }
    if (node < nodes) return to_count(item.substr(0, bracket));
    node -= nodes;
    list.remove_prefix(std::min(item.size() + 1, list.size()));
  }
  return std::nullopt;
}

NodeRanks ranks_on_node(const EnvironmentLookup& lookup) {
  if (const auto count = find_count(lookup, "LOCAL_WORLD_SIZE")) return {*count, *count > 1};
  if (const auto count = find_count(lookup, "OMPI_COMM_WORLD_LOCAL_SIZE")) return {*count, false};
  if (const auto count = find_step_tasks(lookup)) return {*count, false};
  if (const auto count = find_count(lookup, "SLURM_NTASKS_PER_NODE")) return {*count, *count > 1};
  return {};
}

}  // namespace feedrate
