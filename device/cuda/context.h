// SPDX-License-Identifier: Apache-2.0
// One CUDA device and how to drive it, for the calls on it. Safe from any thread. Needs no CUDA
// header.
#pragma once
#include <string>
#include <string_view>

#include "device/options.h"

namespace feedrate {

class CudaContext {
 public:
  CudaContext(int index, const DeviceOptions& options);

  [[nodiscard]] int index() const noexcept { return index_; }
  /// "cuda:0"
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const DeviceOptions& options() const noexcept { return options_; }

  /// Makes the device the present one of the calling thread: the runtime keeps one per thread, and
  /// our calls come from any thread. Cheap where it is the present one already.
  void enter() const;

  /// "0000:65:00.0"
  [[nodiscard]] std::string pci_bus_id() const;

  /// Throws DeviceError if `error`, a cudaError_t, is not success: device, call, name, text, and
  /// what to do about it where that is known.
  void check(int error, std::string_view call) const;

 private:
  int index_;
  std::string name_;
  DeviceOptions options_;
};

}  // namespace feedrate
