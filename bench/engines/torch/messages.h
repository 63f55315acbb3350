// SPDX-License-Identifier: Apache-2.0
// What the child says, line by line: feedrate/channel.py sends it. Pure functions.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sys/types.h>

#include "bench/engines/protocol.h"

namespace feedrate {

/// Torch has been imported.
struct TorchHello {
  std::string python;  ///< "3.11.2"
  std::string torch;   ///< "2.15.0+cu132"
};

/// The answer to a probe: the versions of the modules that were asked for, why those of formats are
/// missing, and how worker processes start where `multiprocessing_context` is not given.
struct TorchProbed {
  std::map<std::string, std::string> modules;
  std::map<std::string, std::string> missing;
  std::string start_method;
};

/// A fork server has imported what cells need.
struct TorchServing {};
/// It has forked a child, in a process group of its own.
struct TorchForked {
  pid_t process = -1;
};
/// A child of its has ended.
struct TorchReaped {
  int wait_status = 0;
};

/// The dataset is open and the DataLoader made.
struct TorchPrepared {
  std::optional<std::uint64_t> batches_per_epoch;  ///< not known of an iterable dataset
  std::uint64_t samples_dropped = 0;
};

/// What the GPU does of a step, in a child that trains by itself.
struct TorchDeviceStep {
  std::string name;
};

struct TorchFirstBatch {
  std::optional<Nanos> took;  ///< nothing: the epoch before was left
};
struct TorchEpochEnd {
  Nanos took{};
};

/// A batch has been loaded; the child waits until the trainer has taken it.
struct TorchBatch {
  Nanos asked{};    ///< t0
  Nanos loaded{};   ///< t1
  Nanos release{};  ///< the host's tensors are freed, which belongs to the copy
  std::size_t samples = 0;
  std::size_t bytes = 0;
  bool pinned = false;
};

/// The window begins with the next batch; the child waits.
struct TorchWindow {
  std::vector<pid_t> processes;  ///< the child and its workers
};
/// The window is over; the child waits.
struct TorchWindowOver {
  std::vector<pid_t> processes;  ///< as above: others if DataLoader restarted them
  TokenCount tokens = {};        ///< of its batches of sequences
  std::size_t epochs = 0;        ///< begun within it, by a loader that decides where they end
};

/// The kept steps and the spans of all steps, of a child that trains by itself.
struct TorchMarks {
  std::vector<StepMarks> steps;
};
struct TorchSpans {
  std::vector<DeviceSpans> spans;
};

struct TorchWarning {
  std::string text;
};

/// An exception ended it.
struct TorchFailure {
  bool mistake = false;  ///< of the user's, and the headline says what would be right
  std::string headline;
  std::string traceback;
};

/// All is measured; the child waits, and ends.
struct TorchDone {
  std::uint64_t pinned_bytes = 0;
};

using TorchMessage =
    std::variant<TorchHello, TorchProbed, TorchServing, TorchForked, TorchReaped, TorchPrepared,
                 TorchDeviceStep, TorchFirstBatch, TorchEpochEnd, TorchBatch, TorchWindow,
                 TorchWindowOver, TorchMarks, TorchSpans, TorchWarning, TorchFailure, TorchDone>;

/// Of a line without its end. Throws Error that shows the line if it is none of these.
[[nodiscard]] TorchMessage parse_torch_message(std::string_view line);

/// The reason of the failed cell: the headline, then the traceback.
[[nodiscard]] std::string to_string(const TorchFailure& failure);

}  // namespace feedrate
