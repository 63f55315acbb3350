// SPDX-License-Identifier: Apache-2.0
// The simulated device's driver: every call takes its time on the calling thread's clock. A mutex
// guards the timeline and the memory. Safe from any thread; no call sleeps while it holds the
// mutex.
#pragma once
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "core/clock.h"
#include "core/units.h"
#include "device/buffer.h"
#include "device/simulated/memory.h"
#include "device/simulated/simulated_device.h"
#include "device/simulated/timeline.h"

namespace feedrate {

class SimulatedDriver {
 public:
  /// `clock` must outlive the driver.
  SimulatedDriver(SimulatedDeviceSpec spec, Clock& clock);

  [[nodiscard]] const SimulatedDeviceSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] Clock& clock() const noexcept { return clock_; }

  /// Buffers refer to the driver and must be destroyed before it.
  [[nodiscard]] HostBuffer allocate_pinned(std::size_t size);
  [[nodiscard]] DeviceBuffer allocate(std::size_t size);
  [[nodiscard]] std::size_t pinned_bytes() const;

  [[nodiscard]] StreamId create_stream(StreamKind kind);
  void destroy_stream(StreamId stream);

  void copy_to_device(StreamId stream, std::byte* target, Bytes source);
  void copy_to_host(StreamId stream, MutableBytes target, const std::byte* source);
  /// One launch of kernels that take `duration` together.
  void launch(StreamId stream, Nanos duration);
  /// Copies by a kernel, as a GPU does: the copy engines serve the host.
  void copy_on_device(StreamId stream, std::byte* target, const std::byte* source,
                      std::size_t size);
  void normalize(StreamId stream, std::byte* target, const std::byte* source,
                 const ImageBatch& batch, const PixelValues& values);
  void transform(StreamId stream, std::byte* target, const std::byte* source,
                 std::span<const PlannedImage> images, const ImageOutput& output,
                 const PixelValues& values);
  /// Copies the files through pinned memory of the library, into which the host writes them, and
  /// decodes them.
  void decode(StreamId stream, std::byte* target, std::span<const EncodedImage> images);
  /// Returns when the event happens.
  [[nodiscard]] Nanos record(StreamId stream);
  void wait(StreamId stream, Nanos event);

  void synchronize(StreamId stream);
  void synchronize();
  void wait_until(Nanos time);

 private:
  static constexpr std::size_t kStagingBytes = std::size_t{1} << 20;  // Fits into a core's cache.

  void begin_call(StreamId stream, Nanos cost);
  void count_launch();
  /// REQUIRES: mutex_ is held
  void require_present() const;
  [[nodiscard]] bool is_pinned(Bytes range) const;
  [[nodiscard]] Nanos begin_staged(StreamId stream, CopyDirection direction, std::size_t size);
  /// Reads `source` as a driver does with pageable memory: the copy takes a core and touches pages
  /// that workers write. Serialized, since there is one buffer.
  void stage(Bytes source);
  void queue_copy(StreamId stream, CopyDirection direction, std::size_t size);

  const SimulatedDeviceSpec spec_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::size_t launches_ = 0;
  SimulatedTimeline timeline_;
  PinnedMemory pinned_;
  DeviceMemory memory_;
  std::mutex staging_mutex_;
  std::vector<std::byte> staging_ = std::vector<std::byte>(kStagingBytes);
};

}  // namespace feedrate
