// The accelerator, real (device/cuda) or modelled (device/simulated). Small on purpose: both
// implement these verbs with the meaning that CUDA gives them, and one contract suite
// (tests/device/contract.h) holds them to it.
//
// Calls are safe from any thread. Streams, events and buffers must die before their device and are
// used only with it. Every call throws DeviceError if the device refuses.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/units.h"
#include "device/buffer.h"

namespace feedrate {

/// A point in a stream. Not recorded yet: query() is true and waiting is a no-op, as in CUDA.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Whether everything before the latest record() is done.
  [[nodiscard]] virtual bool query() const = 0;
  /// Blocks the calling thread until query() holds.
  virtual void synchronize() const = 0;
};

/// Work that the device does in order.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  /// cudaMemcpyAsync. From pinned memory: returns once queued; `source` must stay unchanged until
  /// the copy is done. From pageable memory: may first wait for the stream, and returns once the
  /// last byte is staged (at most 64 KiB: returns at once). REQUIRES: source.size() <=
  /// target.size()
  virtual void copy_to_device(const DeviceBuffer& target, Bytes source) = 0;
  /// Fills `target`; into pageable memory it returns when the bytes are there.
  /// REQUIRES: target.size() <= source.size()
  virtual void copy_to_host(MutableBytes target, const DeviceBuffer& source) = 0;
  /// A stand-in for a training step: occupies the whole device for `duration`.
  virtual void burn(Nanos duration) = 0;
  virtual void record(DeviceEvent& event) = 0;
  /// What is queued after this waits for the latest record() of `event` before this call.
  virtual void wait(const DeviceEvent& event) = 0;
  /// Blocks the calling thread until the stream is empty.
  virtual void synchronize() = 0;
};

struct DeviceInfo {
  std::string name;     ///< "NVIDIA A100-SXM4-80GB", "simulated: a100-pcie4"
  std::string backend;  ///< "cuda", "simulated"
  bool simulated = false;
  std::size_t memory_bytes = 0;
  std::string details;  ///< driver, compute capability, PCIe link; or the preset's rates
};

enum class StreamKind {
  kBlocking,     ///< ordered with the default stream, as cudaStreamCreate makes it
  kNonBlocking,  ///< not ordered with it: what torch.cuda.Stream() is
};

class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  /// The host clock on which waiting for this device takes time.
  [[nodiscard]] virtual Clock& clock() const noexcept = 0;

  [[nodiscard]] virtual HostBuffer allocate_host(std::size_t size, HostMemory kind) = 0;
  [[nodiscard]] virtual DeviceBuffer allocate(std::size_t size) = 0;
  /// Bytes of pinned memory handed out now.
  [[nodiscard]] virtual std::size_t pinned_bytes() const = 0;

  /// The legacy default stream, where PyTorch works unless told otherwise.
  [[nodiscard]] virtual DeviceStream& default_stream() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceStream> create_stream(StreamKind kind) = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceEvent> create_event() = 0;

  /// Device time from one recorded event to another. Throws DeviceError unless both are done.
  [[nodiscard]] virtual Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const = 0;
  /// Blocks the calling thread until all streams are empty.
  virtual void synchronize() = 0;
};

}  // namespace feedrate
