// SPDX-License-Identifier: Apache-2.0
// Messages between a pool and its worker processes, as bytes. Both ends run the same program, so
// values keep their memory layout.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "loaders/batch.h"
#include "loaders/processes/remote_error.h"
#include "loaders/processes/transport/transport.h"
#include "loaders/sampler.h"
#include "loaders/worker_pool.h"

namespace feedrate {

/// A message to a worker: a task, or without one a request for a Resumed.
struct Request {
  std::optional<BatchTask> task;
};

/// A batch whose tensors are sent separately.
struct SentBatch {
  Batch batch;  ///< buffer and labels are empty
  TensorHandle samples;
  TensorHandle labels;
};

/// A message to the pool.
struct Reply {
  std::size_t worker = 0;
  std::uint64_t sequence = 0;
  Nanos completed{};
  std::variant<Resumed, SentBatch, RemoteError> content = {};
};

[[nodiscard]] std::vector<std::byte> pack(const Request& request);
[[nodiscard]] Request unpack_request(Bytes message);

[[nodiscard]] std::vector<std::byte> pack(const Reply& reply);
/// Moves out the descriptors of the tensors, which are sent alongside the message.
[[nodiscard]] std::vector<UniqueFd> take_descriptors(Reply& reply);
/// `descriptors` are in the order of take_descriptors(). A tensor whose descriptor is missing gets
/// none.
[[nodiscard]] Reply unpack_reply(Bytes message, std::vector<UniqueFd> descriptors);

}  // namespace feedrate
