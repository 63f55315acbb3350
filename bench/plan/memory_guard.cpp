// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/memory_guard.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <sys/resource.h>

#include "core/error.h"
#include "formats/registry.h"
#include "formats/storage.h"
#include "loaders/decode/sample_pipeline.h"
#include "loaders/record_dataset.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Measured (docs/measurement.md). A trainer's process grows by codecs, results and malloc's caches;
// workers have decode buffers, and Python copies shared pages when reference counts change.
constexpr std::uint64_t kNativeTrainer = 24 * kMiB;
constexpr std::uint64_t kNativeWorker = 1 * kMiB;
constexpr std::uint64_t kPython = 820 * kMiB;
constexpr std::uint64_t kPythonWorker = 10 * kMiB;
constexpr std::size_t kPythonFiles = 32;

std::size_t open_files() {
  std::error_code error;
  const fs::directory_iterator files("/proc/self/fd", error);
  return error ? 0
               : static_cast<std::size_t>(
                     std::distance(fs::begin(files), fs::end(fs::directory_iterator())));
}

std::optional<std::size_t> descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

// Sums up a node; each rank has its own device and open files.
MemoryNeed of_all_ranks(MemoryNeed need, std::size_t ranks) {
  need.host *= ranks;
  need.shm *= ranks;
  need.pinned *= ranks;
  return need;
}

// Reads the first record's header. Returns 0 as make_memory_guard() predicts nothing.
std::size_t sample_bytes(const SweepConfig& config, std::string& problem) {
  if (!is_there(config.dataset.path)) return 0;
  const OnDamaged on_damaged = config.dataset.skip_damaged ? OnDamaged::kSkip : OnDamaged::kThrow;
  try {
    return make_record_dataset(open_dataset(config.dataset.path), config.pipeline, 0, on_damaged)
        ->sample_bytes();
  } catch (const FormatError& error) {
    problem = error.what();
    return 0;
  }
}

}  // namespace

AvailableMemory available_memory(const MemoryInfo& info) {
  AvailableMemory available;
  if (info.available > 0 && !info.may_grow) available.host = info.available + process_tree_pss();
  if (info.cgroup_limit)
    available.host = std::min(available.host.value_or(UINT64_MAX), *info.cgroup_limit);
  available.shm = info.shm_free;
  available.descriptors = descriptor_limit();
  return available;
}

MemoryGuard::MemoryGuard(std::uint64_t seed, std::size_t sample_bytes,
                         const AvailableMemory& available)
    : seed_(seed),
      sample_bytes_(sample_bytes),
      available_(available),
      native_{process_tree_pss() + kNativeTrainer, kNativeWorker, open_files()},
      torch_{native_.parent + kPython, kPythonWorker, kPythonFiles} {}

std::optional<MemoryNeed> MemoryGuard::need(const CellSpec& spec) const {
  if (sample_bytes_ == 0) return std::nullopt;
  return of_all_ranks(
      predict_memory(spec, sample_bytes_, spec.engine == EngineKind::kTorch ? torch_ : native_),
      spec.job.ranks_per_node);
}

void MemoryGuard::skip_what_does_not_fit(RunResult& run) const {
  for (CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kPending) continue;
    const std::optional<MemoryNeed> needed = need(make_cell_spec(cell.settings, seed_));
    std::string reason = needed ? why_exceeds(*needed, available_) : std::string();
    if (reason.empty()) continue;
    cell.outcome = Outcome::kSkipped;
    cell.reason = std::move(reason);
  }
}

void MemoryGuard::add_prediction(CellResult& cell) const {
  const auto add = [&](const char* tag, std::uint64_t bytes) {
    std::erase_if(cell.metrics, [&](const Metric& metric) { return metric.tag == tag; });
    cell.metrics.push_back({tag, static_cast<double>(bytes)});
  };
  if (cell.outcome != Outcome::kOk) return;
  const CellSpec spec = make_cell_spec(cell.settings, seed_);
  const std::optional<MemoryNeed> needed = need(spec);
  if (!needed) return;
  const JobSpec& job = spec.job;
  add("memory_predicted", needed->host / job.ranks_per_node * job.ranks);
  add("pinned_memory_predicted", needed->pinned / job.ranks_per_node * job.ranks);
}

MemoryGuard make_memory_guard(const SweepConfig& config, std::string& problem) {
  return {config.measure.seed, sample_bytes(config, problem),
          config.measure.memory_guard ? available_memory() : AvailableMemory()};
}

}  // namespace feedrate
