// SPDX-License-Identifier: Apache-2.0
// A simulated device with round figures: 1 GB/s in both directions, 0.5 GB/s for pageable copies,
// no latencies, so that expected times can be computed by hand.
#pragma once
#include <cstring>
#include <memory>

#include "device/simulated/simulated_device.h"
#include "loaders/decode/decoder.h"

namespace feedrate::testing {

/// Decodes a file on the CPU; for SimulatedDeviceSpec::decode_jpeg.
inline void decode_on_the_cpu(Bytes file, MutableBytes pixels) {
  Image image;
  make_decoder(Decoding::kLibrary)->decode(file, image);
  std::memcpy(pixels.data(), image.pixels.data(), pixels.size());
}

inline SimulatedDeviceSpec ideal_device_spec() {
  SimulatedDeviceSpec spec{};
  spec.name = "ideal";
  spec.source = "made up for tests";
  spec.h2d_rate = 1e9;
  spec.d2h_rate = 1e9;
  spec.pageable_rate = 0.5e9;
  spec.memory_bytes = std::size_t{1} << 34;
  return spec;
}

inline std::unique_ptr<Device> make_ideal_device(Clock& clock) {
  return make_simulated_device(ideal_device_spec(), clock);
}

}  // namespace feedrate::testing
