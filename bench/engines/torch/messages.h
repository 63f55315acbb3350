// SPDX-License-Identifier: Apache-2.0
// Parses the messages of the child, which feedrate/channel.py sends line by line. Pure functions.
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

/// The answer to a probe: the versions of the modules, why modules of formats are missing, and the
/// default of `multiprocessing_context`.
struct TorchProbed {
  std::map<std::string, std::string> modules;
  std::map<std::string, std::string> missing;
  std::string start_method;
};

/// The fork server has imported its modules.
struct TorchServing {};
/// The fork server has forked a child, in a process group of its own.
struct TorchForked {
  pid_t process = -1;
};
/// A child of the fork server has ended.
struct TorchReaped {
  int wait_status = 0;
};

/// The dataset is open and the DataLoader made.
struct TorchPrepared {
  std::optional<std::uint64_t> batches_per_epoch;  ///< unknown for an iterable dataset
  std::uint64_t samples_dropped = 0;
};

/// The step on the GPU of a child that itself trains.
struct TorchDeviceStep {
  std::string name;
};

struct TorchFirstBatch {
  std::optional<Nanos> took;  ///< nothing if the epoch before was left early
};
struct TorchEpochEnd {
  Nanos took{};
};

/// A batch has been loaded; the child waits until the trainer has taken it.
struct TorchBatch {
  Nanos asked{};    ///< t0
  Nanos loaded{};   ///< t1
  Nanos release{};  ///< the host's tensors are freed, which counts as part of the copy
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
  std::vector<pid_t> processes;  ///< as above, with new ids if DataLoader restarted workers
  TokenCount tokens = {};        ///< in batches of sequences
  std::size_t epochs = 0;        ///< begun in the window by a loader that decides where they end
};

/// The kept steps of a child that itself trains.
struct TorchMarks {
  std::vector<StepMarks> steps;
};
/// The spans of all steps of a child that itself trains.
struct TorchSpans {
  std::vector<DeviceSpans> spans;
};

struct TorchWarning {
  std::string text;
};

/// An exception ended the child.
struct TorchFailure {
  bool mistake = false;  ///< it is the user's, and the headline names the fix
  std::string headline;
  std::string traceback;
};

/// The measurement is over; the child waits, then ends.
struct TorchDone {
  std::uint64_t pinned_bytes = 0;
};

using TorchMessage =
    std::variant<TorchHello, TorchProbed, TorchServing, TorchForked, TorchReaped, TorchPrepared,
                 TorchDeviceStep, TorchFirstBatch, TorchEpochEnd, TorchBatch, TorchWindow,
                 TorchWindowOver, TorchMarks, TorchSpans, TorchWarning, TorchFailure, TorchDone>;

/// Parses a line without its line feed. Throws Error that shows the line if it is invalid.
[[nodiscard]] TorchMessage parse_torch_message(std::string_view line);

/// The reason of the failed cell: the headline, then the traceback.
[[nodiscard]] std::string to_string(const TorchFailure& failure);

}  // namespace feedrate
