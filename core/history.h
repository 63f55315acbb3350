// SPDX-License-Identifier: Apache-2.0
// The history of a watched training. Plain values; seconds count from the first observed step.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.h"

namespace feedrate {

/// Mean seconds per step, over whole turns of num_workers steps.
struct HistoryTimes {
  double loading = 0.0;
  double training = 0.0;
  std::optional<double> gpu_idle = {};  ///< share; set if CUDA events timed it
};

struct HistoryPoint {
  double begin = 0.0;
  double end = 0.0;
  HistoryTimes times;
};

enum class SegmentUse {
  kOwn,    ///< the script's settings
  kTrial,  ///< tried by feedrate
  kKept,   ///< kept after tuning
};

[[nodiscard]] const char* to_string(SegmentUse use) noexcept;
/// Returns nothing for an unknown word.
[[nodiscard]] std::optional<SegmentUse> segment_use_from_string(std::string_view word) noexcept;

/// Steps with the same settings.
struct HistorySegment {
  double begin = 0.0;
  double end = 0.0;
  Settings settings;
  SegmentUse use = SegmentUse::kOwn;
  std::size_t steps = 0;
  std::optional<HistoryTimes> times = {};  ///< nothing if no whole turn was kept
  std::optional<double> samples_per_second = {};
  std::string problem = {};  ///< why these settings failed, or were not kept
};

struct HistoryEpoch {
  double begin = 0.0;
  double first_batch = 0.0;  ///< seconds from `begin` to the first batch
};

struct LoaderHistory {
  std::string loader;  ///< "train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=2)"
  std::vector<HistoryPoint> points;
  std::vector<HistorySegment> segments;  ///< the first one has the script's settings
  std::vector<HistoryEpoch> epochs;      ///< the first ones, if there are too many to show
};

struct RunHistory {
  std::vector<std::string> verdict;    ///< the lines printed at the end
  std::vector<LoaderHistory> loaders;  ///< sorted by time, longest first
};

}  // namespace feedrate
