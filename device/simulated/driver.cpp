// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/driver.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "device/lost.h"
#include "device/simulated/kernels.h"

namespace feedrate {
namespace {

// About the cost of a query of a real event.
constexpr Nanos kQueryTime = std::chrono::microseconds(2);

// Page-locked memory is resident: the first batch must not pay for page faults.
void make_resident(std::byte* data, std::size_t size) {
  for (std::size_t offset = 0; offset < size; offset += kPageBytes) data[offset] = std::byte{0};
}

}  // namespace

SimulatedDriver::SimulatedDriver(SimulatedDeviceSpec spec, Clock& clock)
    : spec_(std::move(spec)),
      clock_(clock),
      timeline_(spec_),
      memory_(spec_.memory_bytes, spec_.move_bytes) {}

HostBuffer SimulatedDriver::allocate_pinned(std::size_t size) {
  const Nanos done = clock_.now() + spec_.pin_base +
                     from_seconds(static_cast<double>(size) * spec_.pin_seconds_per_byte);
  Pages pages = allocate_pages(size);
  if (!pages) return {nullptr, 0, HostMemory::kPinned, {}};
  make_resident(pages.get(), size);
  clock_.sleep_until(done);
  const std::lock_guard lock(mutex_);
  return {pinned_.add(std::move(pages), size), size, HostMemory::kPinned, [this](std::byte* data) {
            synchronize();  // as cudaFreeHost does
            const std::lock_guard guard(mutex_);
            pinned_.remove(data);
          }};
}

DeviceBuffer SimulatedDriver::allocate(std::size_t size) {
  const std::lock_guard lock(mutex_);
  return {memory_.allocate(size), size, [this, size](std::byte* data) {
            synchronize();  // as cudaFree does
            const std::lock_guard guard(mutex_);
            memory_.release(data, size);
          }};
}

std::size_t SimulatedDriver::pinned_bytes() const {
  const std::lock_guard lock(mutex_);
  return pinned_.size();
}

StreamId SimulatedDriver::create_stream(StreamKind kind) {
  const std::lock_guard lock(mutex_);
  return timeline_.add_stream(kind);
}

void SimulatedDriver::destroy_stream(StreamId stream) {
  const std::lock_guard lock(mutex_);
  timeline_.remove_stream(stream);
}

void SimulatedDriver::copy_to_device(StreamId stream, std::byte* target, Bytes source) {
  begin_call(stream, spec_.copy_call);
  const bool at_once = source.size() <= spec_.inline_bytes || is_pinned(source);
  if (at_once) {
    queue_copy(stream, CopyDirection::kToDevice, source.size());
  } else {
    const Nanos done = begin_staged(stream, CopyDirection::kToDevice, source.size());
    stage(source);
    clock_.sleep_until(done);
  }
  if (spec_.move_bytes) std::copy_n(source.data(), source.size(), target);
}

void SimulatedDriver::copy_to_host(StreamId stream, MutableBytes target, const std::byte* source) {
  begin_call(stream, spec_.copy_call);
  is_pinned(target)
      ? queue_copy(stream, CopyDirection::kToHost, target.size())
      : clock_.sleep_until(begin_staged(stream, CopyDirection::kToHost, target.size()));
  if (spec_.move_bytes) std::copy_n(source, target.size(), target.data());
}

void SimulatedDriver::queue_copy(StreamId stream, CopyDirection direction, std::size_t size) {
  const std::lock_guard lock(mutex_);
  timeline_.copy(stream, direction, size, clock_.now());
}

Nanos SimulatedDriver::begin_staged(StreamId stream, CopyDirection direction, std::size_t size) {
  // Staging begins when the stream is ready, so other streams may use the copy engine until then.
  Nanos ready;
  {
    const std::lock_guard lock(mutex_);
    ready = timeline_.ready(stream);
  }
  clock_.sleep_until(ready);
  const std::lock_guard lock(mutex_);
  return timeline_.staged_copy(stream, direction, size, clock_.now()).host_done;
}

void SimulatedDriver::stage(Bytes source) {
  const std::lock_guard lock(staging_mutex_);
  for (std::size_t at = 0; at < source.size(); at += staging_.size()) {
    const std::size_t size = std::min(staging_.size(), source.size() - at);
    std::memcpy(staging_.data(), source.data() + at, size);
  }
}

void SimulatedDriver::launch(StreamId stream, Nanos duration) {
  count_launch();
  begin_call(stream, spec_.launch_call);
  const std::lock_guard lock(mutex_);
  timeline_.burn(stream, duration, clock_.now());
}

void SimulatedDriver::copy_on_device(StreamId stream, std::byte* target, const std::byte* source,
                                     std::size_t size) {
  launch(stream, device_copy_time(spec_, size));
  if (spec_.move_bytes) std::copy_n(source, size, target);
}

void SimulatedDriver::normalize(StreamId stream, std::byte* target, const std::byte* source,
                                const ImageBatch& batch, const PixelValues& values) {
  launch(stream, normalize_time(spec_, batch));
  if (spec_.move_bytes) normalize_images(source, target, batch, values);
}

void SimulatedDriver::transform(StreamId stream, std::byte* target, const std::byte* source,
                                std::span<const PlannedImage> images, const ImageOutput& output,
                                const PixelValues& values) {
  launch(stream, transform_time(spec_, images, output));
  if (spec_.move_bytes) transform_images(source, target, images, output, values);
}

void SimulatedDriver::decode(StreamId stream, std::byte* target,
                             std::span<const EncodedImage> images) {
  begin_call(stream, spec_.copy_call);
  std::size_t bytes = 0;
  for (const EncodedImage& image : images) {
    stage(image.file);
    bytes += image.file.size();
  }
  queue_copy(stream, CopyDirection::kToDevice, bytes);
  launch(stream, decode_time(spec_, images));
  if (!spec_.move_bytes) return;
  for (const EncodedImage& image : images) {
    spec_.decode_jpeg(image.file, {target + image.offset, image.bytes()});
  }
}

Nanos SimulatedDriver::record(StreamId stream) {
  begin_call(stream, spec_.event_call);
  const std::lock_guard lock(mutex_);
  return timeline_.record(stream, clock_.now());
}

void SimulatedDriver::wait(StreamId stream, Nanos event) {
  begin_call(stream, spec_.event_call);
  const std::lock_guard lock(mutex_);
  timeline_.wait(stream, event, clock_.now());
}

void SimulatedDriver::synchronize(StreamId stream) {
  Nanos done;
  {
    const std::lock_guard lock(mutex_);
    done = timeline_.drained(stream);
  }
  wait_until(done);
}

void SimulatedDriver::synchronize() {
  Nanos done;
  {
    const std::lock_guard lock(mutex_);
    done = timeline_.drained();
  }
  wait_until(done);
}

void SimulatedDriver::wait_until(Nanos time) {
  spec_.auto_spins ? clock_.spin_until(time) : clock_.sleep_until(time);
}

// A full queue blocks the caller. Then the call uses its thread's CPU, as a real driver does.
void SimulatedDriver::begin_call(StreamId stream, Nanos cost) {
  Nanos free_at;
  {
    const std::lock_guard lock(mutex_);
    require_present();
    free_at = timeline_.queue_free_at(stream, clock_.now());
  }
  clock_.sleep_until(free_at);
  clock_.spin_until(clock_.now() + cost);
}

void SimulatedDriver::count_launch() {
  const std::lock_guard lock(mutex_);
  ++launches_;
}

void SimulatedDriver::require_present() const {
  if (spec_.lost_after_launches == 0 || launches_ <= spec_.lost_after_launches) return;
  throw DeviceLost(fmt::format("{}: the device is lost, as set in its preset after {} launches",
                               spec_.name, spec_.lost_after_launches));
}

bool SimulatedDriver::is_pinned(Bytes range) const {
  const std::lock_guard lock(mutex_);
  return pinned_.covers(range);
}

}  // namespace feedrate
