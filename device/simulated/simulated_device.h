// SPDX-License-Identifier: Apache-2.0
// A device without hardware. The duration of every operation is known when it is issued, so its
// start and end are computed at the call (an analytic timeline without threads). Waiting sleeps on
// the clock; on a ManualClock nothing sleeps. docs/adr/0003-analytic-device.md says why.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/device.h"

namespace feedrate {

/// Rates of dense matrix products in floating point operations per second; 0: unsupported or
/// unknown.
struct PeakFlops {
  double fp32 = 0;
  double tf32 = 0;
  double bf16 = 0;
  double fp16 = 0;
  double fp8 = 0;
};

[[nodiscard]] double PeakFlops::*peak_of(Precision precision);

/// The figures of one simulated device. Rates are in bytes per second, 1 GB/s = 1e9.
struct SimulatedDeviceSpec {
  std::string name;
  std::string source;
  double h2d_rate;              ///< pinned, host to device
  double d2h_rate;              ///< pinned, device to host
  double pageable_rate;         ///< effective, staging included
  Nanos copy_latency;           ///< from issue to the first byte
  Nanos launch_latency;         ///< from issue to the kernel's start
  Nanos copy_call;              ///< host time of issuing a copy
  Nanos launch_call;            ///< host time of issuing a kernel
  Nanos event_call;             ///< host time of recording or waiting
  Nanos pin_base;               ///< cost of a pinning call …
  double pin_seconds_per_byte;  ///< … plus this per byte
  std::size_t memory_bytes;
  std::size_t inline_bytes = std::size_t{64} << 10;  ///< pageable copies up to here return at once
  std::size_t stage_bytes = std::size_t{512} << 10;  ///< pageable copies are staged in such pieces
  std::size_t queue_depth = 1024;  ///< a stream's pending operations before a call blocks
  /// Whether waiting spins, as CUDA does unless there are more contexts than CPUs, or sleeps, which
  /// leaves the CPUs to the loader that is being measured.
  bool auto_spins = false;
  /// Whether copies move bytes, during the call, and device memory is real memory. Off by default,
  /// because moving each batch would take CPU time from the loader that is being measured; tests
  /// enable it.
  bool move_bytes = false;
  /// Decodes a file into RGB bytes of exactly its shape, if move_bytes is set.
  std::function<void(Bytes file, MutableBytes pixels)> decode_jpeg = nullptr;

  /// nvJPEG's rate in pixels per second; 0: unknown, and there is no decoder.
  double jpeg_rate = 0;
  // The next three determine the duration of gemm, cnn, normalizing and transforming.
  PeakFlops peak_flops{};     ///< from the data sheet, or measured
  double memory_rate = 1e12;  ///< rate of device memory, from the same source
  double efficiency = 0.8;    ///< share of both rates that large kernels reach; 1 if measured
  /// After this many launches every call throws DeviceLost, for tests. 0: never.
  std::size_t lost_after_launches = 0;
};

[[nodiscard]] double peak_flops(const SimulatedDeviceSpec& spec, Precision precision);
/// Why the device lacks the precision; empty if it has it.
[[nodiscard]] std::string why_no_precision(const SimulatedDeviceSpec& spec, Precision precision);

/// Why the device cannot decode JPEG; empty if it can.
[[nodiscard]] std::string why_no_jpeg_decoder(const SimulatedDeviceSpec& spec);

[[nodiscard]] std::span<const SimulatedDeviceSpec> simulated_presets();
/// Throws ConfigError that lists the presets.
[[nodiscard]] const SimulatedDeviceSpec& find_simulated_preset(std::string_view name);

/// `clock` must outlive the device. Throws ConfigError for impossible figures, such as a rate of 0.
[[nodiscard]] std::unique_ptr<Device> make_simulated_device(SimulatedDeviceSpec spec, Clock& clock);

}  // namespace feedrate
