// SPDX-License-Identifier: Apache-2.0
// When the DataLoaders of a script did what: a view of the step log (training/watch.h), which adds
// each step to it. What is kept has a bound, however long the script runs. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "training/recorded_loader.h"

namespace feedrate {

class InPlaceTuner;

class CourseRecorder {
 public:
  /// A loader of a process, which keeps its number.
  [[nodiscard]] std::size_t add_loader(const ScriptProcess& process, const ScriptLoader& loader);
  /// Its steps have these settings from here on. `request`: which asked for them; 0: the script.
  void change(std::size_t loader, const ScriptLoader& settings, std::size_t request,
              SegmentUse use);
  /// These settings could not be, or could not stay.
  void fail(std::size_t loader, const ScriptLoader& settings, std::size_t request, SegmentUse use,
            const std::string& problem);
  /// A step that is over.
  void add_step(std::size_t loader, const RecordedStep& step);
  void add_epoch(std::size_t loader, const RecordedEpoch& epoch);
  /// What a GPU did in the step that began at `asked`: seconds.
  void add_gpu(std::size_t loader, Nanos asked, double idle, double busy);

  /// Of the first rank, with a kept turn; the one with the most time first.
  [[nodiscard]] std::vector<LoaderCourse> loaders() const;

 private:
  RecordedSegment& segment(RecordedLoader& loader, Nanos begin);

  std::vector<RecordedLoader> loaders_;
};

/// Into `run`, with the lines of the verdict. `tuner` is null where nothing was tuned.
void set_course(RunResult& run, const CourseRecorder& recorder, const InPlaceTuner* tuner,
                std::vector<std::string> verdict);

}  // namespace feedrate
