// SPDX-License-Identifier: Apache-2.0
// The JSON of a Chrome trace, read front to back: each event as it comes, and what stands beside
// the events. Neither the document nor any list of it is ever held: memory is a few MiB, whatever
// the file. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/profile/byte_input.h"
#include "analysis/profile/timeline.h"
#include "analysis/profile/trace_event.h"

namespace feedrate {

/// Takes what a trace holds, in its order.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// `event` is valid, and may be changed, until this returns. `is_repaired`: it is not quite JSON.
  virtual void take_event(TraceEvent& event, bool is_repaired) = 0;
  /// One of the list "deviceProperties".
  virtual void take_gpu(GpuProperties gpu) = 0;
  /// Of the object "distributedInfo".
  virtual void take_rank(std::uint64_t rank) = 0;
  /// Another member that is a number, a word or a text.
  virtual void take_fact(std::string_view name, std::string_view value) = 0;
};

struct TraceDocument {
  bool has_events = false;  ///< a list "traceEvents", or a bare list
  bool is_cut = false;      ///< it stops before its end
  /// A byte near which it is no JSON, and which ended the reading.
  std::optional<std::uint64_t> damaged_at;
};

/// Whatever `input` and `sink` throw ends the reading.
[[nodiscard]] TraceDocument read_trace_document(ByteInput& input, TraceSink& sink);

}  // namespace feedrate
