// SPDX-License-Identifier: Apache-2.0
// One cell in the child, from its first message to its last: the counterpart of protocol.cpp, whose
// steps the child does.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "bench/engines/protocol.h"
#include "bench/engines/torch/child_clock.h"
#include "bench/engines/torch/conversation.h"

namespace feedrate {

struct TorchSessionOptions {
  ProtocolOptions protocol;
  /// Makes the trainer for batches of at most that number of bytes; empty where the child trains by
  /// itself, or none is needed.
  std::function<std::unique_ptr<Trainer>(std::size_t batch_bytes)> make_trainer;
  /// That trainer's, which outlives the session.
  ChildClock* clock = nullptr;
  /// Host memory for the batches of that trainer.
  std::function<HostBuffer(std::size_t size, HostMemory kind)> allocate;
  std::function<void(const std::string&)> on_python_warning;
  /// Called when the first step of the long epoch is on its way: those to be discarded come now.
  std::function<void()> on_warm_up = {};
  /// Called when the window has been measured, while the child and its workers still live.
  std::function<void()> on_window_over;
  std::size_t largest_batch = 0;  ///< in bytes, where batches differ
};

struct TorchSessionResult {
  Measurement measurement;
  TorchPrepared prepared;
  std::string device_step;  ///< of a child that trains by itself
  std::uint64_t pinned_bytes = 0;
  std::size_t epochs_in_window = 0;  ///< begun there, which is in the rates
  /// False if workers started or ended within the window, as those of an iterable dataset may:
  /// measurement.cpu_seconds is not their time then.
  bool cpu_known = true;
};

/// Throws what Conversation and the trainer throw, and Error if the child did other steps than it
/// was asked for.
[[nodiscard]] TorchSessionResult run_torch_session(Conversation& child,
                                                   const TorchSessionOptions& options);

}  // namespace feedrate
