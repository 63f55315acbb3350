// SPDX-License-Identifier: Apache-2.0
// The topics of `feedrate limits`, one file each. Planning is cheap: nothing is created or written
// before a body runs. One thread.
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
#include "core/temporary_folder.h"
#include "formats/read_options.h"
#include "loaders/decode/transform.h"

namespace feedrate {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// Sizes of the measurements: smaller ones are faster and less accurate.
struct LimitsScale {
  std::uint64_t memory_bytes = 256 * kMebibyte;  ///< bytes per memory copy
  std::uint64_t file_bytes = 256 * kMebibyte;    ///< size of the file that is read
  std::size_t small_files = 1000;
  PictureCounts pictures = {};
};

struct OwnData {
  std::filesystem::path path;
  PipelineSpec pipeline;
  ReadOptions reads = {};
};

struct LimitsSetting {
  std::filesystem::path folder;  ///< temporary files are created here, and not removed
  LimitsScale scale = {};
  std::optional<OwnData> own = std::nullopt;
  int cpus = 1;  ///< maximum number of threads
  std::shared_ptr<Pictures> pictures = {};
  std::stop_token stop = {};
};

/// A topic that cannot be measured here has no benchmarks, and a reason in `left_out`.
struct TopicPlan {
  std::vector<LimitBenchmark> benchmarks = {};
  std::string left_out = {};
};

struct LimitTopic {
  const char* name;
  const char* title;
  const char* about;
  TopicPlan (*plan)(const LimitsSetting& setting);
};

/// Creates the temporary folder of the limits, a hidden one in `parent`. Throws ConfigError if that
/// is not a folder, SystemError if it cannot be created.
[[nodiscard]] TemporaryFolder make_scratch_folder(const std::filesystem::path& parent);

/// All topics, in the order in which a sample passes the stages.
[[nodiscard]] std::span<const LimitTopic> limit_topics();

/// Reduces the scale to the available memory.
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
