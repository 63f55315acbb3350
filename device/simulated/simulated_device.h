// SPDX-License-Identifier: Apache-2.0
// A device without hardware. Every operation has a known duration when it is issued, so its start
// and end are computed at the call (an analytic timeline, no threads): waiting sleeps on the clock,
// and on a ManualClock nothing sleeps at all. docs/adr/0003-analytic-device.md says why.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/device.h"
#include "device/options.h"

namespace feedrate {

/// Dense matrix products in floating point operations a second; 0: the device has none, or
/// the rate is unknown.
struct PeakFlops {
  double fp32 = 0;
  double tf32 = 0;
  double bf16 = 0;
  double fp16 = 0;
  double fp8 = 0;
};

/// Which of them is that of `precision`.
[[nodiscard]] double PeakFlops::*peak_of(Precision precision);

/// What distinguishes one device from another. Rates are in bytes per second, 1 GB/s = 1e9.
struct SimulatedDeviceSpec {
  std::string name;
  std::string source;           ///< where the figures come from
  double h2d_rate;              ///< pinned, host to device
  double d2h_rate;              ///< pinned, device to host
  double pageable_rate;         ///< effective, staging included
  Nanos copy_latency;           ///< from issue to the first byte
  Nanos launch_latency;         ///< from issue to the kernel's start
  Nanos copy_call;              ///< host time of issuing a copy
  Nanos launch_call;            ///< host time of issuing a kernel
  Nanos event_call;             ///< host time of recording or waiting
  Nanos pin_base;               ///< pinning: cost of a call …
  double pin_seconds_per_byte;  ///< … and of each byte
  std::size_t memory_bytes;
  std::size_t inline_bytes = std::size_t{64} << 10;  ///< pageable copies up to here return at once
  std::size_t stage_bytes = std::size_t{512} << 10;  ///< pageable copies are staged in such pieces
  std::size_t queue_depth = 1024;  ///< a stream's pending operations before a call blocks
  /// How SyncPolicy::kAuto waits: as CUDA does where CPUs are not fewer than contexts, or taking no
  /// CPU from the loader that is being measured.
  bool auto_spins = false;
  /// Whether copies really move bytes, at the call, and device memory is real memory. Off, because
  /// moving each batch would take CPU time from the loader that is being measured; tests switch it
  /// on.
  bool move_bytes = false;
  /// How a file is decoded then: into RGB bytes of exactly its shape.
  std::function<void(Bytes file, MutableBytes pixels)> decode_jpeg = nullptr;

  /// What nvJPEG decodes, in pixels a second; 0: not known, and there is no decoder.
  double jpeg_rate = 0;
  // For kernels whose duration is computed: gemm, cnn, normalising and transforming.
  PeakFlops peak_flops{};     ///< of the data sheet, or measured
  double memory_rate = 1e12;  ///< of the device's own memory, likewise
  double efficiency = 0.8;    ///< the share of either that large kernels reach; 1 of measured ones
  /// Pinning by PinAllocator::kRegister: of each byte.
  double register_seconds_per_byte = 0.1e-3 / (1 << 20);
  /// For tests of what happens then: after N launches every call throws DeviceLost. 0: never.
  std::size_t lost_after_launches = 0;
};

[[nodiscard]] double peak_flops(const SimulatedDeviceSpec& spec, Precision precision);
/// Why the device has no such arithmetic; empty if it has.
[[nodiscard]] std::string why_no_precision(const SimulatedDeviceSpec& spec, Precision precision);

/// Why it decodes no JPEG; empty if it does.
[[nodiscard]] std::string why_no_jpeg_decoder(const SimulatedDeviceSpec& spec);

[[nodiscard]] std::span<const SimulatedDeviceSpec> simulated_presets();
/// Throws ConfigError listing the presets.
[[nodiscard]] const SimulatedDeviceSpec& find_simulated_preset(std::string_view name);

/// `clock` outlives the device. Throws ConfigError for a spec that no device could have (a rate of
/// 0).
[[nodiscard]] std::unique_ptr<Device> make_simulated_device(SimulatedDeviceSpec spec, Clock& clock,
                                                            const DeviceOptions& options = {});

}  // namespace feedrate
