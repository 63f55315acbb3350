// SPDX-License-Identifier: Apache-2.0
// The way of a tensor's memory from a worker process to its parent. Each kind of transport is one
// file in this folder; nothing else knows which one there is.
//
//   worker:  TensorSender::allocate ─► fill ─► OutgoingTensor::hand_over ─► Parcel ─► socket
//   parent:  socket ─► Parcel ─► TensorTransport::receive ─► BatchMemory
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/host/file.h"
#include "loaders/batch_memory.h"
#include "loaders/options.h"

namespace feedrate {

/// The tensors of a batch. In PyTorch each has its own segment, and so it has here.
enum class Tensor { kSamples, kLabels };

/// What the receiver needs to find a tensor's memory.
struct Parcel {
  std::uint64_t bytes = 0;
  std::string address = {};  ///< in the transport's own terms
  UniqueFd descriptor = {};  ///< empty where an address will do, or where it got lost on the way
};

/// Memory in a worker that its parent can reach, too. Given up by its destructor unless it was
/// handed over; in any case the worker's view of it ends there.
class OutgoingTensor : public BatchMemory {
 public:
  /// Once. The memory belongs to the receiver from here on.
  [[nodiscard]] virtual Parcel hand_over() = 0;
};

/// The worker's half. One thread.
class TensorSender {
 public:
  virtual ~TensorSender() = default;
  /// Throws SystemError naming the limit that was hit.
  [[nodiscard]] virtual std::shared_ptr<OutgoingTensor> allocate(Tensor tensor,
                                                                 std::size_t bytes) = 0;
};

/// The receiver's half. Made before the workers are forked; what it receives may outlive it.
class TensorTransport {
 public:
  virtual ~TensorTransport() = default;
  /// To be called in worker process number `worker`.
  [[nodiscard]] virtual std::unique_ptr<TensorSender> make_sender(std::size_t worker) = 0;
  /// Maps on the calling thread. Throws Error naming the limit that was hit.
  [[nodiscard]] virtual std::shared_ptr<BatchMemory> receive(Parcel parcel) = 0;
  /// Gives back what workers sent and was not received, and what those that were killed left
  /// behind. REQUIRES: no worker runs
  virtual void reclaim() noexcept {}
};

/// Removes what killed processes of feedrate have left in /dev/shm.
void remove_left_segments() noexcept;

/// What a ring must hold: for each worker `slots` tensors of each size.
struct RingPlan {
  std::size_t workers = 0;
  std::size_t slots = 0;
  std::size_t sample_bytes = 0;  ///< of a full batch
  std::size_t label_bytes = 0;
};

[[nodiscard]] std::unique_ptr<TensorTransport> make_fresh_transport();
[[nodiscard]] std::unique_ptr<TensorTransport> make_file_system_transport();
/// Throws SystemError if there is no room for it.
[[nodiscard]] std::unique_ptr<TensorTransport> make_ring_transport(const RingPlan& plan);

/// The one that `options` ask for. `sample_bytes`: of one sample
[[nodiscard]] std::unique_ptr<TensorTransport> make_transport(const ResolvedLoaderOptions& options,
                                                              std::size_t sample_bytes);

}  // namespace feedrate
