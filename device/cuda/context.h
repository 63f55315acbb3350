// One CUDA device, for the calls on it. Safe from any thread. Needs no CUDA header.
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

  /// Makes the device the present one of the calling thread: the runtime keeps one per thread, and
  /// our calls come from any thread. Cheap where it is the present one already.
  void enter() const;

  /// Throws DeviceError if `error`, a cudaError_t, is not success: device, call, name, text.
  void check(int error, std::string_view call) const;

 private:
  int index_;
  std::string name_;
};

}  // namespace feedrate
