// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/timeline.h"

#include <algorithm>

namespace feedrate {
namespace {

Nanos transfer_time(std::size_t size, double rate) {
  return from_seconds(static_cast<double>(size) / rate);
}

}  // namespace

SimulatedTimeline::SimulatedTimeline(const SimulatedDeviceSpec& spec)
    : spec_(spec), streams_{Stream{StreamKind::kBlocking, Nanos::zero(), {}}} {}

StreamId SimulatedTimeline::add_stream(StreamKind kind) {
  Stream stream{kind, Nanos::zero(), {}};
  if (free_ids_.empty()) {
    streams_.push_back(std::move(stream));
    return streams_.size() - 1;
  }
  const StreamId id = free_ids_.back();
  free_ids_.pop_back();
  streams_[id] = std::move(stream);
  return id;
}

void SimulatedTimeline::remove_stream(StreamId stream) {
  Stream& gone = streams_[stream];
  removed_tail_ = std::max(removed_tail_, gone.tail);
  if (gone.kind == StreamKind::kBlocking) {
    removed_blocking_tail_ = std::max(removed_blocking_tail_, gone.tail);
  }
  gone = {StreamKind::kNonBlocking, Nanos::zero(), {}};
  free_ids_.push_back(stream);
}

Nanos SimulatedTimeline::ready(StreamId stream) const {
  const Stream& own = streams_[stream];
  if (own.kind == StreamKind::kNonBlocking) return own.tail;
  if (stream != kDefaultStream) return std::max(own.tail, streams_[kDefaultStream].tail);
  Nanos latest = std::max(own.tail, removed_blocking_tail_);
  for (const Stream& other : streams_) {
    if (other.kind == StreamKind::kBlocking) latest = std::max(latest, other.tail);
  }
  return latest;
}

Nanos SimulatedTimeline::drained(StreamId stream) const {
  return stream == kDefaultStream ? ready(stream) : streams_[stream].tail;
}

Nanos SimulatedTimeline::drained() const {
  Nanos latest = removed_tail_;
  for (const Stream& stream : streams_) latest = std::max(latest, stream.tail);
  return latest;
}

Nanos SimulatedTimeline::queue_free_at(StreamId stream, Nanos now) {
  std::deque<Nanos>& pending = streams_[stream].pending;
  while (!pending.empty() && pending.front() <= now) pending.pop_front();
  if (pending.size() < spec_.queue_depth) return now;
  return pending[pending.size() - spec_.queue_depth];
}

BusySpan SimulatedTimeline::burn(StreamId stream, Nanos duration, Nanos now) {
  kernels_.forget_before(now);
  const Nanos start = std::max(ready(stream), now + spec_.launch_latency);
  const BusySpan kernel = kernels_.reserve(start, std::max(duration, Nanos::zero()));
  append(stream, kernel.end, now);
  return kernel;
}

BusySpan SimulatedTimeline::copy(StreamId stream, CopyDirection direction, std::size_t size,
                                 Nanos now) {
  const bool to_device = direction == CopyDirection::kToDevice;
  Engine& engine = to_device ? to_device_ : to_host_;
  engine.forget_before(now);
  const Nanos start = std::max(ready(stream), now + spec_.copy_latency);
  const BusySpan copy =
      engine.reserve(start, transfer_time(size, to_device ? spec_.h2d_rate : spec_.d2h_rate));
  append(stream, copy.end, now);
  return copy;
}

StagedCopy SimulatedTimeline::staged_copy(StreamId stream, CopyDirection direction,
                                          std::size_t size, Nanos now) {
  const StagedCopy copy = direction == CopyDirection::kToDevice
                              ? stage_to_device(ready(stream), size, now)
                              : stage_to_host(ready(stream), size, now);
  append(stream, copy.device_done, now);
  return copy;
}

// The host fills one of two staging buffers while the device empties the other, and waits for the
// device if that is slower.
StagedCopy SimulatedTimeline::stage_to_device(Nanos ready, std::size_t size, Nanos now) {
  to_device_.forget_before(now);
  Nanos host = std::max(ready, now + spec_.copy_latency);
  Nanos previous = host;
  Nanos last = host;
  for (std::size_t left = size; left > 0;) {
    const std::size_t piece = std::min(left, spec_.stage_bytes);
    host = std::max(host, previous) + transfer_time(piece, spec_.pageable_rate);
    previous = last;
    last = to_device_.reserve(std::max(host, last), transfer_time(piece, spec_.h2d_rate)).end;
    left -= piece;
  }
  return {host, last};
}

// The host empties one staging buffer while the device fills the next.
StagedCopy SimulatedTimeline::stage_to_host(Nanos ready, std::size_t size, Nanos now) {
  to_host_.forget_before(now);
  Nanos may_fill = std::max(ready, now + spec_.copy_latency);
  Nanos host = may_fill;
  for (std::size_t left = size; left > 0;) {
    const std::size_t piece = std::min(left, spec_.stage_bytes);
    const Nanos filled = to_host_.reserve(may_fill, transfer_time(piece, spec_.d2h_rate)).end;
    may_fill = std::max(host, filled);
    host = may_fill + transfer_time(piece, spec_.pageable_rate);
    left -= piece;
  }
  return {host, host};
}

Nanos SimulatedTimeline::record(StreamId stream, Nanos now) {
  const Nanos event = std::max(ready(stream), now);
  append(stream, event, now);
  return event;
}

void SimulatedTimeline::wait(StreamId stream, Nanos event, Nanos now) {
  append(stream, std::max(ready(stream), event), now);
}

void SimulatedTimeline::append(StreamId stream, Nanos end, Nanos now) {
  Stream& own = streams_[stream];
  own.tail = std::max(own.tail, end);
  if (end > now) own.pending.push_back(own.tail);
}

}  // namespace feedrate
