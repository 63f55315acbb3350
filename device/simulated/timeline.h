// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the simulated device: computes when each operation starts and ends from when
// it was issued. Plain data without clock, lock or thread; the caller passes the time in.
//
//   start = max(issue + latency, end of the stream's previous work, awaited events, engine is free)
//   end   = start + bytes / rate, or + the kernel's duration
//
// Streams run in order. The legacy default stream waits for all blocking streams and they for it.
// There is one engine per copy direction and one for kernels: copies of one direction run
// sequentially, as do kernels of all streams (each fills the device); all else overlaps.
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

/// End times of a copy that the driver stages through its own pinned memory.
struct StagedCopy {
  Nanos host_done;    ///< when the call returns
  Nanos device_done;  ///< when the stream can continue
};

/// `now` must never decrease from call to call. Not thread-safe.
class SimulatedTimeline {
 public:
  explicit SimulatedTimeline(const SimulatedDeviceSpec& spec);

  [[nodiscard]] StreamId add_stream(StreamKind kind);
  /// Pending work of the stream keeps its end times.
  void remove_stream(StreamId stream);

  /// The earliest start of the next operation in `stream`, without its engine and its latency.
  [[nodiscard]] Nanos ready(StreamId stream) const;
  /// The default stream also waits for all blocking streams.
  [[nodiscard]] Nanos drained(StreamId stream) const;
  [[nodiscard]] Nanos drained() const;
  /// The time when the queue of `stream` can take one more operation: `now` unless queue_depth
  /// operations are pending.
  [[nodiscard]] Nanos queue_free_at(StreamId stream, Nanos now);

  BusySpan burn(StreamId stream, Nanos duration, Nanos now);
  /// A copy by the copy engine alone, without staging.
  BusySpan copy(StreamId stream, CopyDirection direction, std::size_t size, Nanos now);
  /// A copy from or to pageable memory, staged in pieces beginning at `now`.
  StagedCopy staged_copy(StreamId stream, CopyDirection direction, std::size_t size, Nanos now);
  /// Returns when the event happens.
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
  Nanos removed_tail_{0};           ///< latest end of work in removed streams
  Nanos removed_blocking_tail_{0};  ///< the same for blocking streams
};

}  // namespace feedrate
