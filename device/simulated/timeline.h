// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the simulated device: when each operation starts and ends, given when it was
// issued. Plain data: no clock, no lock, no thread; the caller passes the time in.
//
//   start = max(issue + latency, end of the stream's previous work, awaited events, engine is free)
//   end   = start + bytes / rate, or + the kernel's duration
//
// Streams are in order. The legacy default stream waits for all blocking streams and they for it.
// One engine per copy direction and one for kernels: copies of one direction take turns, opposite
// directions and kernels overlap, kernels of different streams take turns (each fills the device).
#pragma once
#include <cstddef>
#include <deque>
#include <vector>

#include "core/units.h"
#include "device/device.h"
#include "device/simulated/engine.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {

using StreamId = std::size_t;
inline constexpr StreamId kDefaultStream = 0;

enum class CopyDirection { kToDevice, kToHost };

/// Ends of a copy that the driver stages through its own pinned memory.
struct StagedCopy {
  Nanos host_done;    ///< when the call returns
  Nanos device_done;  ///< when the stream goes on
};

/// `now` must never go back from call to call. Not thread-safe.
class SimulatedTimeline {
 public:
  explicit SimulatedTimeline(const SimulatedDeviceSpec& spec);

  [[nodiscard]] StreamId add_stream(StreamKind kind);
  /// The stream's pending work still ends when it would have ended.
  void remove_stream(StreamId stream);

  /// The earliest start of an operation issued to `stream` next, its engine and latency aside.
  [[nodiscard]] Nanos ready(StreamId stream) const;
  /// When `stream` is empty; the default stream also waits for all blocking streams.
  [[nodiscard]] Nanos drained(StreamId stream) const;
  /// When all streams are empty.
  [[nodiscard]] Nanos drained() const;
  /// When `stream` has room for one more operation: `now` unless queue_depth are pending.
  [[nodiscard]] Nanos room_at(StreamId stream, Nanos now);

  BusySpan burn(StreamId stream, Nanos duration, Nanos now);
  /// A copy that the device does alone.
  BusySpan copy(StreamId stream, CopyDirection direction, std::size_t size, Nanos now);
  /// A copy from or to pageable memory, staged in pieces from `now` on.
  StagedCopy staged_copy(StreamId stream, CopyDirection direction, std::size_t size, Nanos now);
  /// When the event happens.
  Nanos record(StreamId stream, Nanos now);
  void wait(StreamId stream, Nanos event, Nanos now);

 private:
  struct Stream {
    StreamKind kind;
    Nanos tail;                 ///< end of the last operation
    std::deque<Nanos> pending;  ///< ends of the operations not known to be done, ascending
  };

  void append(StreamId stream, Nanos end, Nanos now);
  StagedCopy stage_to_device(Nanos ready, std::size_t size, Nanos now);
  StagedCopy stage_to_host(Nanos ready, std::size_t size, Nanos now);

  SimulatedDeviceSpec spec_;
  Engine to_device_;
  Engine to_host_;
  Engine kernels_;
  std::vector<Stream> streams_;
  std::vector<StreamId> free_ids_;
  Nanos removed_tail_{0};           ///< latest end of work in streams that are gone
  Nanos removed_blocking_tail_{0};  ///< the same, of blocking streams only
};

}  // namespace feedrate
