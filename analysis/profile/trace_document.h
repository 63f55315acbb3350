// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of a Chrome trace front to back and passes on each event and the other members. It
// never holds the document or a list of it: memory is a few MiB for any file. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/profile/byte_input.h"
#include "analysis/profile/timeline.h"
#include "analysis/profile/trace_event.h"

namespace feedrate {

/// Receives the contents of a trace in file order.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// `event` is valid, and may be changed, until this returns. `is_repaired`: it was invalid JSON.
  virtual void take_event(TraceEvent& event, bool is_repaired) = 0;
  /// An element of the list "deviceProperties".
  virtual void take_gpu(GpuProperties gpu) = 0;
  /// The rank in the object "distributedInfo".
  virtual void take_rank(std::uint64_t rank) = 0;
  /// Any other member that is a number, a word or a text.
  virtual void take_fact(std::string_view name, std::string_view value) = 0;
};

struct TraceDocument {
  bool has_events = false;  ///< a list "traceEvents", or a bare list
  bool is_truncated = false;
  /// Offset near which invalid JSON ended the reading.
  std::optional<std::uint64_t> damaged_at;
};

/// Exceptions of `input` and `sink` end the reading.
[[nodiscard]] TraceDocument read_trace_document(ByteInput& input, TraceSink& sink);

}  // namespace feedrate
