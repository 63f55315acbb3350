// SPDX-License-Identifier: Apache-2.0
// The progress of a tune on stderr: what it measures and why, the current answer, the time left.
// One thread.
#pragma once
#include <string>
#include <vector>

#include "bench/tune_runner.h"
#include "core/host/console.h"
#include "core/result.h"

namespace feedrate {

class TuneProgress {
 public:
  TuneProgress(Console& console, const std::vector<Candidate>& candidates, std::size_t probes,
               double budget_seconds);

  /// The following starts verify with PyTorch's DataLoader.
  void begin_verifying();
  void begin(const TuneStep& step);
  void end(const TuneStep& step);

 private:
  [[nodiscard]] std::string title(const TuneStep& step) const;
  [[nodiscard]] std::string standing(const Tuner& tuner) const;

  Console& console_;
  std::size_t probes_;
  const std::vector<std::string> varying_;  // names the candidates
  std::size_t probed_ = 0;
};

}  // namespace feedrate
