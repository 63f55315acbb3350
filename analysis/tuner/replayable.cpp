// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replayable.h"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "analysis/tuner/settings.h"
#include "core/error.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

struct Count {
  const char* name;
  std::int64_t least;
  std::int64_t most;
};

// They bound the time of a replay.
constexpr Count kCounts[] = {{"batch_size", 1, std::int64_t{1} << 30},
                             {"num_workers", 0, 1024},
                             {"prefetch_factor", 1, 1024},
                             {"device_prefetch", 0, 64},
                             {"sync_every", 1, 4096},
                             {"ranks", 1, 65536}};
constexpr std::size_t kMostOutstanding = 8192;

constexpr const char* kTimes[] = {
    "step_time", "wait_time",           "copy_time",        "training_time",
    "cpu_time",  "compute_time_device", "copy_time_device", "first_batch_time_cold"};
constexpr double kLongest = 1e6;  // Seconds per step.
constexpr double kShortest = 1e-9;

class Check {
 public:
  Check(const CellResult& cell, const std::string& source) : cell_(cell), source_(source) {}

  void all() const {
    if (text_of(cell_.settings, "batch_size").empty()) {
      refuse("batch_size", "is missing", "the samples of a batch");
    }
    for (const Count& count : kCounts) check(count);
    const LoopSettings loop = loop_settings(cell_.settings);
    if (loop.num_workers * loop.prefetch_factor > kMostOutstanding) {
      refuse("num_workers",
             fmt::format("times prefetch_factor is {}", loop.num_workers * loop.prefetch_factor),
             fmt::format("at most {}", kMostOutstanding));
    }
    for (const char* const name : kTimes) check_time(name, 0.0);
    check_time("step_time", kShortest);
    if (const double* const rate = find_metric(cell_.metrics, "samples_per_second");
        rate != nullptr && !(*rate > 0.0 && std::isfinite(*rate))) {
      refuse("samples_per_second", fmt::format("is {}", *rate), "above 0");
    }
  }

 private:
  void check(const Count& wanted) const {
    const SettingValue* const value = find_setting(cell_.settings, wanted.name);
    if (value == nullptr || to_string(*value).empty()) return;
    const auto* const count = std::get_if<std::int64_t>(value);
    if (count != nullptr && *count >= wanted.least && *count <= wanted.most) return;
    refuse(wanted.name, "is " + to_string(*value),
           fmt::format("a whole number from {} to {}", wanted.least, wanted.most));
  }

  void check_time(const char* name, double least) const {
    const double* const seconds = find_metric(cell_.metrics, name);
    if (seconds == nullptr || std::isnan(*seconds)) return;
    if (*seconds >= least && *seconds <= kLongest) return;
    refuse(name, fmt::format("is {}", *seconds),
           fmt::format("seconds, {:g} to {:g}", least, kLongest));
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& problem,
                           const std::string& right) const {
    throw ConfigError(
        fmt::format("{}: cell {}: {}: {}; must be {}", source_, cell_.index, what, problem, right));
  }

  const CellResult& cell_;
  const std::string& source_;
};

}  // namespace

void require_replayable(const RunResult& run, const std::string& source) {
  for (const CellResult& cell : run.cells) {
    const bool says_something = cell.outcome == Outcome::kOk || cell.outcome == Outcome::kPending;
    if (says_something) Check(cell, source).all();
  }
}

std::optional<double> recorded_cores(const RunResult& run) {
  const std::string* const count = find_fact(run.environment.facts, "cpus_usable");
  const std::optional<double> cores = count ? parse_number<double>(*count) : std::nullopt;
  return cores && *cores >= 1.0 ? cores : std::nullopt;
}

}  // namespace feedrate
