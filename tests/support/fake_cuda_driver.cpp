// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 without a GPU: the functions that the CUDA runtime calls before it gives up.
// FAKE_CUDA_VERSION is the newest CUDA version that it supports, FAKE_CUDA_INIT the result of
// cuInit(). With FAKE_CUDA_OLD it lacks the functions of CUDA 12.
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 801;

int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

// Replaces every function that the runtime looks up but does not call.
int refuse() { return kNotSupported; }

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = number_of("FAKE_CUDA_VERSION");
  return kSuccess;
}

int cuInit(unsigned /*flags*/) { return number_of("FAKE_CUDA_INIT"); }

int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags);
int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                        int* status);

int cuGetProcAddress(const char* symbol, void** function, int /*version*/,
                     std::uint64_t /*flags*/) {
  *function = reinterpret_cast<void*>(&refuse);
  const std::string_view name = symbol;
  if (name == "cuInit") *function = reinterpret_cast<void*>(&cuInit);
  if (name == "cuDriverGetVersion") *function = reinterpret_cast<void*>(&cuDriverGetVersion);
#ifndef FAKE_CUDA_OLD
  if (name == "cuGetProcAddress") *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
#endif
  return kSuccess;
}

#ifndef FAKE_CUDA_OLD
int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                        int* status) {
  if (status != nullptr) *status = 0;
  return cuGetProcAddress(symbol, function, version, flags);
}
#endif
}
