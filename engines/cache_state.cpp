#include "engines/cache_state.h"

#include <fmt/format.h>

#include "core/error.h"
#include "host/page_cache.h"

namespace feedrate {
namespace {

// Opening a dataset reads its index, which is little of it.
constexpr double kStillCold = 0.05;
constexpr double kWarmEnough = 0.99;

}  // namespace

void bring_into(CacheState state, std::span<const std::filesystem::path> files,
                const std::stop_token& stop) {
  if (state == CacheState::kWarm) fill_page_cache(files, stop);
  if (state != CacheState::kCold) return;
  const std::size_t failed = drop_page_cache(files);
  if (failed == 0) return;
  throw ConfigError(
      fmt::format("cache cold: {} of {} files, as {}, cannot be opened to be dropped from the page "
                  "cache; they must be readable",
                  failed, files.size(), files.front().string()));
}

std::string doubt_about(CacheState state, double resident) {
  if (state == CacheState::kCold && resident > kStillCold) {
    return fmt::format(
        "cache cold: {:.0f} % of the dataset's bytes were in the page cache when a loader started: "
        "opening it reads them, another process maps them, or the file system keeps them.",
        100.0 * resident);
  }
  if (state == CacheState::kWarm && resident < kWarmEnough) {
    return fmt::format(
        "cache warm: only {:.0f} % of the dataset's bytes were in the page cache when a loader "
        "started: they do not fit.",
        100.0 * resident);
  }
  return {};
}

void check_stays_cold(const ProtocolOptions& protocol, std::size_t batch_size,
                      std::size_t records) {
  const std::size_t loaded = (protocol.total_steps() + protocol.max_outstanding) * batch_size;
  if (loaded <= records) return;
  throw ConfigError(fmt::format(
      "cache cold: a start loads up to {} records, and the dataset has {}: some would be read "
      "again, from memory; lower measure.steps, batch_size or prefetch_factor, or take more data",
      loaded, records));
}

}  // namespace feedrate
