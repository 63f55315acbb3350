// SPDX-License-Identifier: Apache-2.0
#include "loaders/options.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::size_t kDefaultPrefetchFactor = 2;  // PyTorch's default with workers.

constexpr std::array<const char*, 3> kStartMethods{"fork", "spawn", "forkserver"};

void check_workers(const LoaderOptions& options) {
  if (options.num_workers < 0) {
    throw ConfigError(
        fmt::format("num_workers: {} is negative; must be 0 (load in the training process) or more "
                    "(PyTorch raises ValueError)",
                    options.num_workers));
  }
  if (!(options.timeout >= 0.0) || !std::isfinite(options.timeout)) {
    throw ConfigError(
        fmt::format("timeout: {} is not a valid number of seconds; must be at least 0, and 0 means "
                    "no limit (PyTorch raises ValueError)",
                    options.timeout));
  }
  if (options.num_workers == 0 && options.prefetch_factor) {
    throw ConfigError(
        "prefetch_factor: has no effect with num_workers 0; omit it, or set num_workers to 1 or "
        "more (PyTorch raises ValueError)");
  }
  if (options.prefetch_factor && *options.prefetch_factor < 0) {
    throw ConfigError(fmt::format(
        "prefetch_factor: {} is negative; must be at least 1 (PyTorch raises ValueError)",
        *options.prefetch_factor));
  }
  if (options.num_workers == 0 && options.persistent_workers) {
    throw ConfigError(
        "persistent_workers: needs workers; set num_workers to 1 or more (PyTorch raises "
        "ValueError)");
  }
}

void check_start_method(const LoaderOptions& options) {
  if (!options.multiprocessing_context) return;
  const std::string& method = *options.multiprocessing_context;
  if (options.num_workers == 0) {
    throw ConfigError(
        fmt::format("multiprocessing_context: '{}' has no effect with num_workers 0; omit it, or "
                    "set num_workers to 1 or more (PyTorch raises ValueError)",
                    method));
  }
  if (std::find(kStartMethods.begin(), kStartMethods.end(), method) == kStartMethods.end()) {
    throw ConfigError(
        fmt::format("multiprocessing_context: '{}' is not a start method; must be one of {} "
                    "(PyTorch raises ValueError)",
                    method, fmt::join(kStartMethods, ", ")));
  }
}

void check_batch_size(const LoaderOptions& options) {
  if (options.batch_size >= 1) return;
  throw ConfigError(fmt::format(
      "batch_size: {} is not a positive integer; must be at least 1 (PyTorch raises ValueError)",
      options.batch_size));
}

void check_shuffle_window(const LoaderOptions& options) {
  if (options.shuffle_window >= 0) return;
  throw ConfigError(
      fmt::format("shuffle_window: {} is not a number of records; must be at least 0, and 0 "
                  "shuffles all records",
                  options.shuffle_window));
}

}  // namespace

ResolvedLoaderOptions resolve(const LoaderOptions& options, ResolvedLoaderOptions resolved) {
  check_workers(options);
  check_start_method(options);
  check_batch_size(options);
  check_shuffle_window(options);
  const bool has_workers = options.num_workers > 0;
  const auto prefetch = options.prefetch_factor ? static_cast<std::size_t>(*options.prefetch_factor)
                                                : kDefaultPrefetchFactor;
  resolved.batch_size = static_cast<std::size_t>(options.batch_size);
  resolved.num_workers = static_cast<std::size_t>(options.num_workers);
  resolved.prefetch_factor = has_workers ? prefetch : 0;
  resolved.persistent_workers = options.persistent_workers;
  resolved.memory = options.pin_memory ? HostMemory::kPinned : HostMemory::kPageable;
  resolved.shuffle = options.shuffle;
  resolved.shuffle_window = static_cast<std::uint64_t>(options.shuffle_window);
  resolved.group_by_length = options.group_by_length;
  resolved.drop_last = options.drop_last;
  resolved.in_order = options.in_order;
  resolved.seed = options.seed;
  resolved.timeout = from_seconds(options.timeout);
  resolved.multiprocessing_context = options.multiprocessing_context.value_or("");
  resolved.transport = options.transport;
  return resolved;
}

void check_iterable(const ResolvedLoaderOptions& options) {
  if (options.num_workers > 0 && options.prefetch_factor == 0) {
    throw ConfigError(
        "prefetch_factor: 0 loads no batch; must be at least 1 (PyTorch accepts 0 and fails an "
        "assertion when the loader is iterated)");
  }
  if (options.num_workers == 0 && options.timeout != Nanos::zero()) {
    throw ConfigError(fmt::format(
        "timeout: {} s is not supported with num_workers 0; set it to 0, or num_workers to 1 or "
        "more (PyTorch accepts it and fails an assertion when the loader is iterated)",
        to_seconds(options.timeout)));
  }
}

int cpus_for_workers(const CpuBudget& budget) {
  const double ranks = std::max(1, budget.ranks);
  double usable = budget.affinity;
  usable =
      std::min(usable, (budget.ranks_share_affinity ? budget.affinity : budget.online) / ranks);
  if (budget.quota) usable = std::min(usable, *budget.quota / ranks);
  return std::max(1, static_cast<int>(std::ceil(usable)));
}

std::vector<std::string> warnings(const ResolvedLoaderOptions& options, const CpuBudget& budget) {
  const int usable = cpus_for_workers(budget);
  if (options.num_workers <= static_cast<std::size_t>(usable)) return {};
  const std::string quota =
      budget.quota ? fmt::format(", cgroup quota {:.3g}", *budget.quota) : std::string();
  const bool is_seen = options.num_workers > static_cast<std::size_t>(budget.affinity);
  return {fmt::format(
      "num_workers: {} workers share {} (affinity {} of {}{}, {} on this node) and may slow each "
      "other down; at most {} can run at once. PyTorch, which considers only the affinity, {}.",
      options.num_workers, plural(static_cast<std::size_t>(usable), "usable CPU"), budget.affinity,
      budget.online, quota, plural(static_cast<std::size_t>(budget.ranks), "rank"), usable,
      is_seen ? "also warns" : fmt::format("warns at {} or more", budget.affinity + 1))};
}

}  // namespace feedrate
