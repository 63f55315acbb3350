// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cache_state.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/page_cache.h"

namespace feedrate {
namespace {

// Opening a dataset reads its index, which is a small share of it.
constexpr double kStillCold = 0.05;
constexpr double kWarmEnough = 0.99;

}  // namespace

void apply_cache_state(CacheState state, std::span<const std::filesystem::path> files,
                       const std::stop_token& stop) {
  if (state == CacheState::kWarm) fill_page_cache(files, stop);
  if (state != CacheState::kCold) return;
  const std::size_t failed = drop_page_cache(files);
  if (failed == 0) return;
  throw ConfigError(
      fmt::format("cache cold: {} of {} files, such as {}, cannot be opened to drop them from the "
                  "page cache; they must be readable",
                  failed, files.size(), files.front().string()));
}

std::string warning_about(CacheState state, double resident) {
  if (state == CacheState::kCold && resident > kStillCold) {
    return fmt::format(
        "cache cold: {:.0f} % of the dataset was in the page cache when a repeat started: opening "
        "the dataset reads it, another process maps it, or the file system keeps it cached.",
        100.0 * resident);
  }
  if (state == CacheState::kWarm && resident < kWarmEnough) {
    return fmt::format(
        "cache warm: only {:.0f} % of the dataset was in the page cache when a repeat started: it "
        "does not fit.",
        100.0 * resident);
  }
  return {};
}

void check_stays_cold(const ProtocolOptions& protocol, std::size_t batch_size,
                      std::size_t records) {
  const std::size_t loaded = (protocol.total_steps() + protocol.max_outstanding) * batch_size;
  if (loaded <= records) return;
  throw ConfigError(
      fmt::format("cache cold: a repeat loads up to {} records, and the dataset has {}: some would "
                  "be read again, from memory; lower measure.steps, batch_size or prefetch_factor, "
                  "or use a larger dataset",
                  loaded, records));
}

}  // namespace feedrate
