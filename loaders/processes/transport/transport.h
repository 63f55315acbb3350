// SPDX-License-Identifier: Apache-2.0
// How a tensor's memory gets from a worker process to its parent. Each transport is one file in
// this folder.
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

namespace feedrate {

/// Identifies a tensor's memory to the receiver.
struct TensorHandle {
  std::uint64_t bytes = 0;
  std::string address = {};  ///< a segment's name; empty for a descriptor
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
  [[nodiscard]] virtual std::shared_ptr<OutgoingTensor> allocate(std::size_t bytes) = 0;
};

/// The receiver in the parent. Construct it before the workers are forked; memory that it received
/// may outlive it.
class TensorTransport {
 public:
  virtual ~TensorTransport() = default;
  /// Called in a worker process.
  [[nodiscard]] virtual std::unique_ptr<TensorSender> make_sender() = 0;
  /// Maps the memory on the calling thread. Throws Error naming the limit that was exceeded.
  [[nodiscard]] virtual std::shared_ptr<BatchMemory> receive(TensorHandle handle) = 0;
  /// Frees memory that workers sent and nobody received, and memory of killed workers.
  /// REQUIRES: no worker runs
  virtual void reclaim() noexcept {}
};

/// Removes segments that killed feedrate processes left in /dev/shm.
void remove_left_segments() noexcept;

[[nodiscard]] std::unique_ptr<TensorTransport> make_fresh_transport();
[[nodiscard]] std::unique_ptr<TensorTransport> make_file_system_transport();

}  // namespace feedrate
