// SPDX-License-Identifier: Apache-2.0
// What is kept of a loader's steps while a script runs, and the course that is made of it. Pure;
// any thread.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/course.h"
#include "training/messages.h"

namespace feedrate {

/// A step that is over: seconds.
struct RecordedStep {
  Nanos begin{};
  Nanos end{};
  double loading = 0.0;
  double training = 0.0;
  std::size_t samples = 0;
  std::size_t turn = 1;  ///< steps that a turn of these settings has
  bool is_kept = true;   ///< it says something of the settings
};

/// Steps that follow each other: as many as a turn has, or several turns. Sums, in seconds.
struct RecordedTurn {
  Nanos begin{};
  Nanos end{};
  std::size_t steps = 0;
  double loading = 0.0;
  double training = 0.0;
  std::size_t samples = 0;
  double gpu_idle = 0.0;  ///< of the steps that CUDA events timed
  double gpu_busy = 0.0;

  void add(const RecordedTurn& next);
};

/// Steps with the same settings. In a long one two turns that follow each other become one, then
/// four, and so on.
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
  std::size_t stride = 1;   ///< turns that become one
  std::size_t in_last = 0;  ///< of the latest one; 0: the next turn begins another

  void keep(const RecordedTurn& turn);
};

struct RecordedEpoch {
  Nanos begin{};
  Nanos first_batch{};  ///< the time at which it was there
};

/// A loader of a process, with its successors.
struct RecordedLoader {
  std::size_t rank = 0;
  ScriptLoader own = {};  ///< as it was first
  double seconds = 0.0;
  RecordedSegment now = {};  ///< as the next segment begins
  RecordedTurn turn = {};    ///< under way
  std::vector<RecordedSegment> segments = {};
  std::vector<RecordedEpoch> epochs = {};

  void add_gpu(Nanos asked, double idle, double busy);
};

/// `zero` is where its time begins.
[[nodiscard]] LoaderCourse course_of(const RecordedLoader& loader, Nanos zero);

}  // namespace feedrate
