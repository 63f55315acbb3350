// SPDX-License-Identifier: Apache-2.0
// What goes over the sockets between a pool and its worker processes, as bytes. Both ends are the
// same program, so values lie there as they lie in memory.
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

/// To a worker: a task, or the wish for a Resumed.
struct Request {
  std::optional<BatchTask> task;
};

/// A batch whose tensors are elsewhere.
struct SentBatch {
  Batch batch;  ///< without buffer and labels
  Parcel samples;
  Parcel labels;
};

/// To the pool.
struct Reply {
  std::size_t worker = 0;
  std::uint64_t sequence = 0;
  Nanos completed{};
  std::variant<Resumed, SentBatch, RemoteError> content = {};
};

[[nodiscard]] std::vector<std::byte> pack(const Request& request);
[[nodiscard]] Request unpack_request(Bytes message);

[[nodiscard]] std::vector<std::byte> pack(const Reply& reply);
/// Takes the descriptors of the tensors, which are to be sent beside the message.
[[nodiscard]] std::vector<UniqueFd> take_descriptors(Reply& reply);
/// `descriptors`: as sent. A tensor whose descriptor is missing gets none.
[[nodiscard]] Reply unpack_reply(Bytes message, std::vector<UniqueFd> descriptors);

}  // namespace feedrate
