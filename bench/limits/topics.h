// SPDX-License-Identifier: Apache-2.0
// The topics of `feedrate limits`, a file each. A plan is cheap: nothing is made or written before
// a body runs. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/limits/benchmarks.h"
#include "bench/limits/pictures.h"
#include "formats/read_options.h"
#include "loaders/decode/transform.h"

namespace feedrate {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// How much of everything is used: less is quicker and less true.
struct LimitsScale {
  std::uint64_t memory_bytes = 256 * kMebibyte;  ///< copied from one place to another
  std::uint64_t file_bytes = 256 * kMebibyte;    ///< of the file that is read
  std::size_t small_files = 1000;
  PictureCounts pictures = {};
};

/// The user's own dataset, whose records are read and made samples of, too.
struct OwnData {
  std::filesystem::path path;
  PipelineSpec pipeline;
  ReadOptions reads = {};
};

struct LimitsSetting {
  std::filesystem::path folder;  ///< files are made here, and left here
  LimitsScale scale = {};
  std::optional<OwnData> own = std::nullopt;
  int cpus = 1;  ///< the most threads
  std::shared_ptr<Pictures> pictures = {};
  std::stop_token stop = {};
};

/// A topic that cannot be measured here has no benchmarks and says why.
struct TopicPlan {
  std::vector<LimitBenchmark> benchmarks = {};
  std::string left_out = {};
};

struct LimitTopic {
  const char* name;  ///< of all its rows
  const char* title;
  const char* about;
  TopicPlan (*plan)(const LimitsSetting& setting);
};

/// In the order of a sample's way.
[[nodiscard]] std::span<const LimitTopic> limit_topics();

/// With as much of everything as this machine has room for.
[[nodiscard]] LimitsSetting make_limits_setting(const std::filesystem::path& folder,
                                                const LimitsScale& scale);

[[nodiscard]] TopicPlan plan_memory(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_storage(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_files(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_formats(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_decode(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_transforms(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_samples(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_device(const LimitsSetting& setting);
[[nodiscard]] TopicPlan plan_own_data(const LimitsSetting& setting);

}  // namespace feedrate
