// SPDX-License-Identifier: Apache-2.0
// The accelerator, real (device/cuda) or simulated (device/simulated). The interface is small: both
// backends implement these verbs with CUDA's semantics, and one contract suite
// (tests/device/contract.h) checks both.
//
// Calls are safe from any thread. Streams, events and buffers must be destroyed before their device
// and are used only with it. Every call throws DeviceError if the device refuses.
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

/// A point in a stream. Before the first record(), query() is true and waiting is a no-op, as in
/// CUDA.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Whether everything before the latest record() is done.
  [[nodiscard]] virtual bool query() const = 0;
  /// Waits until query() holds.
  virtual void synchronize() const = 0;
};

class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  /// cudaMemcpyAsync. From pinned memory, returns once queued; `source` must stay unchanged until
  /// the copy is done. From pageable memory, may first wait for the stream, and returns once the
  /// last byte is staged (up to 64 KiB: at once). REQUIRES: source.size() <= target.size()
  virtual void copy_to_device(const DeviceBuffer& target, Bytes source) = 0;
  /// Fills `target`; for pageable memory, returns when the bytes have arrived.
  /// REQUIRES: target.size() <= source.size()
  virtual void copy_to_host(MutableBytes target, const DeviceBuffer& source) = 0;
  /// Copies all of `source` within the device's memory. REQUIRES: source.size() <= target.size(),
  /// and the buffers differ
  virtual void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) = 0;
  /// Simulates a training step: occupies the whole device for `duration`.
  virtual void burn(Nanos duration) = 0;
  virtual void run(const DeviceWork& work) = 0;
  /// Converts bytes, height × width × channel as decoders return them, to float32, channel × height
  /// × width. REQUIRES: `source` holds batch.values() bytes and `target` four times as many
  virtual void normalize(const DeviceBuffer& target, const DeviceBuffer& source,
                         const ImageBatch& batch, const PixelValues& values) = 0;
  /// Crops, resizes, flips and normalizes: antialiased and bilinear like torchvision's transforms,
  /// except for rounding. The result of images[i] is the i-th of `target`. REQUIRES: each image is
  /// within `source`, its box is within the image, and `target` holds output.values() numbers for
  /// each
  virtual void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                         std::span<const PlannedImage> images, const ImageOutput& output,
                         const PixelValues& values) = 0;
  virtual void record(DeviceEvent& event) = 0;
  /// Work queued after this call waits for the latest record() of `event` before this call.
  virtual void wait(const DeviceEvent& event) = 0;
  /// Waits until the stream is empty.
  virtual void synchronize() = 0;
};

/// Decodes JPEG on the device. One thread.
class JpegDecoder {
 public:
  virtual ~JpegDecoder() = default;
  /// "nvJPEG 13.3, hardware decoder", for reports.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  /// Queues the decoding of all files into RGB bytes, height × width × channel; may wait for the
  /// previous batch and earlier work of `stream`. The files must stay unchanged until decoding is
  /// done. REQUIRES: `target` holds the pixels of each. Throws FormatError for a file that is
  /// damaged or unsupported; the decoder then no longer reads any file of the batch, and can decode
  /// the next batch.
  virtual void decode(DeviceStream& stream, const DeviceBuffer& target,
                      std::span<const EncodedImage> images) = 0;
};

struct DeviceInfo {
  std::string name;     ///< "NVIDIA A100-SXM4-80GB", "simulated: a100-pcie4"
  std::string backend;  ///< "cuda", "simulated"
  bool simulated = false;
  std::size_t memory_bytes = 0;
  std::string details;          ///< driver, compute capability, PCIe link; or the preset's rates
  std::string pci_bus_id = {};  ///< NVML's key for it, "0000:17:00.0"; empty if simulated
  int multiprocessors = 0;      ///< 0: unknown
  int compute_major = 0;        ///< compute capability; 0: unknown
  int compute_minor = 0;
  bool one_process = false;  ///< the GPU's compute mode is exclusive
};

enum class StreamKind {
  kBlocking,     ///< ordered with the default stream, like one of cudaStreamCreate
  kNonBlocking,  ///< not ordered with it, like torch.cuda.Stream()
};

class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  /// The host clock that advances while a call waits for this device.
  [[nodiscard]] virtual Clock& clock() const noexcept = 0;

  [[nodiscard]] virtual HostBuffer allocate_host(std::size_t size, HostMemory kind) = 0;
  [[nodiscard]] virtual DeviceBuffer allocate(std::size_t size) = 0;
  [[nodiscard]] virtual std::size_t pinned_bytes() const = 0;

  /// The legacy default stream, which PyTorch uses by default.
  [[nodiscard]] virtual DeviceStream& default_stream() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceStream> create_stream(StreamKind kind) = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceEvent> create_event() = 0;

  /// Products of random matrices, run sequentially. Throws DeviceError if the device lacks the
  /// precision, the memory or the library.
  [[nodiscard]] virtual std::unique_ptr<DeviceWork> prepare_gemms(std::span<const Gemm> gemms,
                                                                  Precision precision) = 0;
  /// Throws DeviceError if the device has no decoder, or the library cannot be loaded.
  [[nodiscard]] virtual std::unique_ptr<JpegDecoder> open_jpeg_decoder() = 0;
  /// Calls `issue` with a stream and captures the kernels that it queues as one launch: a CUDA
  /// graph. Throws DeviceError if `issue` queues anything but kernels and copies within device
  /// memory.
  [[nodiscard]] virtual std::unique_ptr<DeviceWork> capture(
      const std::function<void(DeviceStream&)>& issue) = 0;

  /// Device time from one recorded event to another. Throws DeviceError unless both are done.
  [[nodiscard]] virtual Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const = 0;
  /// Waits until all streams are empty.
  virtual void synchronize() = 0;
};

}  // namespace feedrate
