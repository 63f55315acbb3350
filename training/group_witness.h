// SPDX-License-Identifier: Apache-2.0
// A child that gets what all processes of feedrate's group or job get: `kill -- -GROUP`, or a batch
// system that signals each process of a job. What it had, the script had itself. One thread.
#pragma once
#include <optional>
#include <vector>

#include <signal.h>

#include "core/host/child_process.h"
#include "core/unique_fd.h"
#include "core/units.h"

namespace feedrate {

class GroupWitness {
 public:
  /// Of `signals`, which the caller has blocked. Where there can be no child, it never had one.
  explicit GroupWitness(const sigset_t& signals);

  /// Whether it had `signal`, too, which this process just had. Waits for that a moment.
  [[nodiscard]] bool has_had(int signal);

 private:
  struct Note {
    int signal = 0;
    Nanos when{};  // Of the steady clock.
  };

  UniqueFd reading_;
  std::optional<ChildProcess> child_;
  std::vector<Note> notes_;  // Of signals that has_had() was not asked for yet.
};

}  // namespace feedrate
