// SPDX-License-Identifier: Apache-2.0
// How a watched training went over time. Plain values; seconds count from the first step that was
// seen.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.h"

namespace feedrate {

/// Mean seconds per step, over whole turns of num_workers steps.
struct CourseTimes {
  double loading = 0.0;
  double training = 0.0;
  std::optional<double> gpu_idle = {};  ///< share, where CUDA events timed it
};

/// Turns that follow each other.
struct CoursePoint {
  double begin = 0.0;
  double end = 0.0;
  CourseTimes times;
};

enum class SegmentUse {
  kOwn,    ///< the script's settings
  kTrial,  ///< tried by feedrate
  kKept,   ///< stayed when tuning was over
};

[[nodiscard]] const char* to_string(SegmentUse use) noexcept;
/// Nothing for an unknown word.
[[nodiscard]] std::optional<SegmentUse> segment_use_from_string(std::string_view word) noexcept;

/// Steps with the same settings.
struct CourseSegment {
  double begin = 0.0;
  double end = 0.0;
  Settings settings;  ///< those of its cell
  SegmentUse use = SegmentUse::kOwn;
  std::size_t steps = 0;
  std::optional<CourseTimes> times = {};  ///< nothing where no whole turn was kept
  std::optional<double> samples_per_second = {};
  std::string problem = {};  ///< why these settings could not be, or could not stay
};

struct CourseEpoch {
  double begin = 0.0;
  double first_batch = 0.0;  ///< from the begin to the first batch
};

struct LoaderCourse {
  std::string loader;  ///< "train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=2)"
  std::vector<CoursePoint> points;
  std::vector<CourseSegment> segments;  ///< the first one has the script's settings
  std::vector<CourseEpoch> epochs;      ///< the first ones, where there are too many to be shown
};

struct RunCourse {
  std::vector<std::string> verdict;   ///< what was said at the end, line by line
  std::vector<LoaderCourse> loaders;  ///< the one with the most time first
};

}  // namespace feedrate
