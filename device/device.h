// SPDX-License-Identifier: Apache-2.0
// The accelerator, real (device/cuda) or modelled (device/simulated). Small on purpose: both
// implement these verbs with the meaning that CUDA gives them, and one contract suite
// (tests/device/contract.h) holds them to it.
//
// Calls are safe from any thread. Streams, events and buffers must die before their device and are
// used only with it. Every call throws DeviceError if the device refuses.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/clock.h"
#include "core/units.h"
#include "device/buffer.h"
#include "device/work.h"

namespace feedrate {

/// A point in a stream. Not recorded yet: query() is true and waiting is a no-op, as in CUDA.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Whether everything before the latest record() is done.
  [[nodiscard]] virtual bool query() const = 0;
  /// Waits, as DeviceOptions::sync says, until query() holds.
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
  /// Copies all of `source` within the device's memory. REQUIRES: source.size() <= target.size(),
  /// and they are two buffers
  virtual void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) = 0;
  /// A stand-in for a training step: occupies the whole device for `duration`, of which it streams
  /// through the device's memory for the share `memory_intensity`, 0 to 1. The first call with such
  /// a share allocates what is streamed through.
  virtual void burn(Nanos duration, double memory_intensity) = 0;
  void burn(Nanos duration) { burn(duration, 0.0); }
  /// Launches prepared kernels.
  virtual void run(const DeviceWork& work) = 0;
  /// Turns bytes, height × width × channel as decoders give them, into float32, channel × height ×
  /// width. REQUIRES: `source` holds batch.values() bytes and `target` four times as many
  virtual void normalize(const DeviceBuffer& target, const DeviceBuffer& source,
                         const ImageBatch& batch, const PixelValues& values) = 0;
  /// Cuts, resizes, flips and normalises: antialiased and bilinear as torchvision's transforms, up
  /// to rounding. The result of images[i] is the i-th of `target`. REQUIRES: each image lies in
  /// `source`, its box in it, and `target` holds output.values() numbers for each
  virtual void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                         std::span<const PlannedImage> images, const ImageOutput& output,
                         const PixelValues& values) = 0;
  virtual void record(DeviceEvent& event) = 0;
  /// What is queued after this waits for the latest record() of `event` before this call.
  virtual void wait(const DeviceEvent& event) = 0;
  /// Waits, as DeviceOptions::sync says, until the stream is empty.
  virtual void synchronize() = 0;
};

/// Decodes JPEG on the device. One thread.
class JpegDecoder {
 public:
  virtual ~JpegDecoder() = default;
  /// "nvJPEG 13.3, hardware decoder", for reports.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  /// Queues the decoding of all files into RGB bytes, height × width × channel; may wait for the
  /// batch before and earlier work of `stream`. The files must stay unchanged until that is done.
  /// REQUIRES: `target` holds the pixels of each. Throws FormatError for a file that is damaged or
  /// that it cannot decode; it then reads none of them any more, and the next batch is decoded.
  virtual void decode(DeviceStream& stream, const DeviceBuffer& target,
                      std::span<const EncodedImage> images) = 0;
};

struct DeviceInfo {
  std::string name;     ///< "NVIDIA A100-SXM4-80GB", "simulated: a100-pcie4"
  std::string backend;  ///< "cuda", "simulated"
  bool simulated = false;
  std::size_t memory_bytes = 0;
  std::string details;          ///< driver, compute capability, PCIe link; or the preset's rates
  std::string pci_bus_id = {};  ///< "0000:17:00.0", by which NVML knows it; empty if simulated
  int multiprocessors = 0;      ///< 0: not known
  int compute_major = 0;        ///< of the compute capability; 0: not known
  int compute_minor = 0;
  bool one_process = false;  ///< at a time: the GPU's compute mode is exclusive
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

  /// Products of random matrices, each after the other, ready to run. Throws DeviceError if the
  /// device has no such arithmetic, no room, or no library for it.
  [[nodiscard]] virtual std::unique_ptr<DeviceWork> prepare_gemms(std::span<const Gemm> gemms,
                                                                  Precision precision) = 0;
  /// Throws DeviceError if the device has none, or the library is not there.
  [[nodiscard]] virtual std::unique_ptr<JpegDecoder> open_jpeg_decoder() = 0;
  /// Records the kernels that `issue` gives to the stream it gets, and makes one launch of them: a
  /// CUDA graph. Throws DeviceError if `issue` asks for more than kernels and copies within the
  /// device's memory.
  [[nodiscard]] virtual std::unique_ptr<DeviceWork> capture(
      const std::function<void(DeviceStream&)>& issue) = 0;

  /// Device time from one recorded event to another. Throws DeviceError unless both are done.
  [[nodiscard]] virtual Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const = 0;
  /// Blocks the calling thread until all streams are empty.
  virtual void synchronize() = 0;
};

}  // namespace feedrate
