// SPDX-License-Identifier: Apache-2.0
// How a tensor's memory gets from a worker process to its parent. Each transport is one file in
// this folder; only make_transport() depends on the choice.
//
//   worker:  TensorSender::allocate ─► fill ─► OutgoingTensor::hand_over ─► TensorHandle ─► socket
//   parent:  socket ─► TensorHandle ─► TensorTransport::receive ─► BatchMemory
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/host/file.h"
#include "loaders/batch_memory.h"
#include "loaders/options.h"

namespace feedrate {

/// The tensors of a batch. Each has its own segment, as in PyTorch.
enum class Tensor { kSamples, kLabels };

/// Identifies a tensor's memory to the receiver.
struct TensorHandle {
  std::uint64_t bytes = 0;
  std::string address = {};  ///< a segment's name or a slot's number; empty for a descriptor
  UniqueFd descriptor = {};  ///< empty if there is an address, or if it was lost in transit
};

/// Memory in a worker that its parent can map. The destructor ends the worker's mapping, and frees
/// the memory unless it was handed over.
class OutgoingTensor : public BatchMemory {
 public:
  /// Transfers the memory to the receiver. Call once.
  [[nodiscard]] virtual TensorHandle hand_over() = 0;
};

/// The sender in a worker. One thread.
class TensorSender {
 public:
  virtual ~TensorSender() = default;
  /// Throws SystemError naming the limit that was exceeded.
  [[nodiscard]] virtual std::shared_ptr<OutgoingTensor> allocate(Tensor tensor,
                                                                 std::size_t bytes) = 0;
};

/// The receiver in the parent. Construct it before the workers are forked; memory that it received
/// may outlive it.
class TensorTransport {
 public:
  virtual ~TensorTransport() = default;
  /// Called in worker process number `worker`.
  [[nodiscard]] virtual std::unique_ptr<TensorSender> make_sender(std::size_t worker) = 0;
  /// Maps the memory on the calling thread. Throws Error naming the limit that was exceeded.
  [[nodiscard]] virtual std::shared_ptr<BatchMemory> receive(TensorHandle handle) = 0;
  /// Frees memory that workers sent and nobody received, and memory of killed workers.
  /// REQUIRES: no worker runs
  virtual void reclaim() noexcept {}
};

/// Removes segments that killed feedrate processes left in /dev/shm.
void remove_left_segments() noexcept;

/// The size of a ring: each worker has `slots` tensors of each size.
struct RingPlan {
  std::size_t workers = 0;
  std::size_t slots = 0;
  std::size_t sample_bytes = 0;  ///< bytes of a full batch
  std::size_t label_bytes = 0;
};

[[nodiscard]] std::unique_ptr<TensorTransport> make_fresh_transport();
[[nodiscard]] std::unique_ptr<TensorTransport> make_file_system_transport();
/// Throws SystemError if the memory cannot be mapped.
[[nodiscard]] std::unique_ptr<TensorTransport> make_ring_transport(const RingPlan& plan);

/// Makes the transport that `options` name. `sample_bytes`: bytes of one sample
[[nodiscard]] std::unique_ptr<TensorTransport> make_transport(const ResolvedLoaderOptions& options,
                                                              std::size_t sample_bytes);

}  // namespace feedrate
