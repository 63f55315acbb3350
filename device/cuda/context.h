// SPDX-License-Identifier: Apache-2.0
// One CUDA device: the checked entry to the runtime. Safe from any thread. Needs
// no CUDA header.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

class CudaContext {
 public:
  explicit CudaContext(int index);

  [[nodiscard]] int index() const noexcept { return index_; }
  /// "cuda:0"
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Makes this device the calling thread's current device. The runtime keeps one per thread, and
  /// calls come from any thread. Cheap if it is current already.
  void enter() const;

  /// "0000:65:00.0"
  [[nodiscard]] std::string pci_bus_id() const;

  /// Throws DeviceError if `error`, a cudaError_t, is not cudaSuccess. The message names the
  /// device, the call and the error, and a remedy if one is known.
  void check(int error, std::string_view call) const;

 private:
  int index_;
  std::string name_;
};

}  // namespace feedrate
