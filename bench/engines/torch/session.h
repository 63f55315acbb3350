// SPDX-License-Identifier: Apache-2.0
// Handles all messages of one cell in the child. The child runs the protocol that protocol.cpp runs
// for the native engine.
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
  /// Makes the trainer for batches of at most that number of bytes; empty if the child itself
  /// trains or the cell needs no trainer.
  std::function<std::unique_ptr<Trainer>(std::size_t batch_bytes)> make_trainer;
  /// The trainer's clock, which outlives the session.
  ChildClock* clock = nullptr;
  /// Allocates host memory for the batches of the trainer.
  std::function<HostBuffer(std::size_t size, HostMemory kind)> allocate;
  std::function<void(const std::string&)> on_python_warning;
  /// Called when the first step of the long epoch has its batch; the discarded steps follow.
  std::function<void()> on_warm_up = {};
  /// Called after the window, while the child and its workers still run.
  std::function<void()> on_window_over;
  std::size_t largest_batch = 0;  ///< in bytes, if batches differ; else 0
};

struct TorchSessionResult {
  Measurement measurement;
  TorchPrepared prepared;
  std::string device_step;  ///< TorchDeviceStep::name; empty if the child does not train
  std::uint64_t pinned_bytes = 0;
  std::size_t epochs_in_window = 0;  ///< their starts are included in the rates
  /// False if workers started or ended within the window, as those of an iterable dataset may: then
  /// measurement.cpu_seconds is not set.
  bool cpu_known = true;
};

/// Throws what Conversation and the trainer throw, and Error if the child ran other steps than the
/// protocol asks for.
[[nodiscard]] TorchSessionResult run_torch_session(Conversation& child,
                                                   const TorchSessionOptions& options);

}  // namespace feedrate
