// SPDX-License-Identifier: Apache-2.0
#include "bench/environment.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "analysis/tuner/dataset_counts.h"
#include "bench/build_info.h"
#include "bench/plan/named_device.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/cpu.h"
#include "core/host/environment.h"
#include "core/host/memory.h"
#include "core/host/slurm.h"
#include "device/simulated/simulated_device.h"
#include "loaders/options.h"

namespace feedrate {
namespace {

constexpr std::size_t kFewSteps = 50;

std::pair<std::size_t, std::size_t> most_workers(const RunResult& run) {
  std::pair<std::size_t, std::size_t> most{0, 1};
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kSkipped) continue;
    const auto* held = std::get_if<std::int64_t>(find_setting(cell.settings, "num_workers"));
    if (!held) continue;
    const auto workers = static_cast<std::size_t>(*held);
    const std::size_t ranks = ranks_on_a_node(cell.settings);
    if (workers * ranks > most.first * most.second) most = {workers, ranks};
  }
  return most;
}

// Cells with another cache state report its effect in their figures.
bool any_takes_the_cache_as_it_is(const RunResult& run) {
  return std::any_of(run.cells.begin(), run.cells.end(), [](const CellResult& cell) {
    const SettingValue* const cache = find_setting(cell.settings, "cache");
    return cell.outcome != Outcome::kSkipped && (!cache || to_string(*cache) == "as-is");
  });
}

}  // namespace

Environment machine_environment(const std::filesystem::path& dataset) {
  const HostState state = read_host_state(dataset, {kBuildType, kCompiler});
  Environment environment;
  environment.facts.push_back({"feedrate", kVersion});
  for (HostFact& fact : host_facts(state)) {
    environment.facts.push_back({std::move(fact.name), std::move(fact.value)});
  }
  environment.warnings = host_warnings(state);
  return environment;
}

void print_warnings(std::ostream& out, std::string_view what,
                    const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  out << fmt::format("\nWarnings about {}:\n", what);
  for (const std::string& warning : warnings) out << fmt::format("  - {}\n", warning);
}

std::map<std::string, DeviceInfo> inspect_devices(const std::vector<Cell>& plan) {
  std::map<std::string, DeviceInfo> devices;
  for (const Cell& cell : plan) {
    const std::string name = cell.settings.text(KnobId::device);
    if (!cell.skip_reason.empty() || devices.contains(name)) continue;
    try {
      devices.emplace(name, named_device_info(name));
    } catch (const DeviceError& error) {
      throw ConfigError(
          fmt::format("device {}; `--device auto` uses an available device", error.what()));
    }
  }
  return devices;
}

void add_devices(RunResult& run, const std::map<std::string, DeviceInfo>& devices) {
  for (const auto& [name, info] : devices) {
    run.environment.facts.push_back(
        {fmt::format("device {}", name), fmt::format("{} ({})", info.name, info.details)});
    if (!info.simulated) continue;
    run.simulated = true;
    run.environment.warnings.push_back(
        fmt::format("{} is a model, not a GPU: copies and steps take the times of the preset; no "
                    "GPU was measured.",
                    name));
  }
}

std::vector<std::string> worker_warnings(std::size_t most_workers, std::size_t own_ranks) {
  const CpuInfo cpu = read_cpu_info();
  NodeRanks ranks = ranks_on_node();
  // ranks that the sweep starts share its CPUs
  if (ranks.count == 1 && own_ranks > 1) ranks = {static_cast<int>(own_ranks), true};
  return warnings({.num_workers = most_workers}, {.online = cpu.online,
                                                  .affinity = cpu.allowed,
                                                  .quota = cpu.cgroup_quota,
                                                  .ranks = ranks.count,
                                                  .ranks_share_affinity = ranks.share_affinity});
}

void add_plan_warnings(RunResult& run, std::size_t steps, std::size_t repeats) {
  std::vector<std::string>& warnings = run.environment.warnings;
  if (steps < kFewSteps) {
    warnings.push_back(fmt::format("{} steps per repeat are few; set measure.steps to {} or more.",
                                   steps, kFewSteps));
  }
  if (repeats < 2) warnings.emplace_back(kOneStartOnly);
  const auto [workers, ranks] = most_workers(run);
  for (std::string& warning : worker_warnings(workers, ranks)) {
    warnings.push_back(std::move(warning));
  }
}

void add_dataset(RunResult& run, const std::string& format, std::uint64_t records,
                 std::uint64_t bytes, std::uint64_t files) {
  const auto size = static_cast<double>(bytes);
  run.environment.facts.push_back(
      {fmt::format("dataset {}", format),
       fmt::format("{} records, {}", format_number(static_cast<double>(records)),
                   format_value(size, Unit::kBytes))});
  run.environment.facts.push_back(
      dataset_counts_fact(format, static_cast<double>(records), size, static_cast<double>(files)));
  const MemoryInfo memory = read_memory_info();
  if (memory.total == 0 || bytes > memory.total || !any_takes_the_cache_as_it_is(run)) return;
  const std::string warning =
      "The dataset is smaller than memory: after the first pass it is read from the page cache, "
      "not "
      "from storage.";
  std::vector<std::string>& warnings = run.environment.warnings;
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
    warnings.push_back(warning);
}

}  // namespace feedrate
