// SPDX-License-Identifier: Apache-2.0
// What is kept of a loader's steps while a script runs, and the course that is made of it. Pure;
// any thread.
#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "core/course.h"
#include "training/messages.h"

namespace feedrate {

/// As many steps as there are workers, one after the other.
struct RecordedTurn {
  Nanos begin{};
  Nanos end{};
  double loading = 0.0;  ///< seconds a step
  double training = 0.0;
  std::size_t samples = 0;
  double gpu_idle = 0.0;  ///< seconds, of the steps that CUDA events timed
  double gpu_busy = 0.0;
};

/// Steps with the same settings. Of a long one every second turn is kept, then every fourth, and so
/// on.
struct RecordedSegment {
  ScriptLoader loader = {};
  Settings settings = {};
  std::size_t request = 0;  ///< which asked for them; 0: the script
  SegmentUse use = SegmentUse::kOwn;
  std::string problem = {};
  Nanos begin{};
  Nanos end{};
  std::size_t steps = 0;
  std::vector<RecordedTurn> turns = {};
  std::size_t seen = 0;  ///< turns
  std::size_t stride = 1;

  void keep(const RecordedTurn& turn);
};

struct RecordedEpoch {
  Nanos begin{};
  Nanos first_batch{};  ///< the time at which it was there
};

/// A batch, by which a span that comes later is found its time.
struct RecordedStep {
  std::size_t loader = 0;
  std::size_t epoch = 0;
  std::size_t number = 0;  ///< in the epoch
  Nanos asked{};
};

/// One at a place of the script in a process, over a dataset, with a batch size.
struct RecordedLoader {
  pid_t process = 0;
  ScriptLoader own = {};  ///< as it was first
  double seconds = 0.0;
  std::vector<RecordedSegment> segments = {};
  std::vector<RecordedEpoch> epochs = {};
  std::deque<RecordedStep> steps = {};  ///< the latest

  void note(const RecordedStep& step);
  /// What a GPU did in a step that was noted; of others nothing.
  void add(const ScriptSpan& span);
  /// Null before the first.
  [[nodiscard]] const RecordedStep* last_step() const {
    return steps.empty() ? nullptr : &steps.back();
  }
};

/// `zero` is where its time begins.
[[nodiscard]] LoaderCourse course_of(const RecordedLoader& loader, Nanos zero);

}  // namespace feedrate
