// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.h"

#include <atomic>
#include <memory>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "device/cuda/context.h"
#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_gemms.h"
#include "device/cuda/cuda_graph.h"
#include "device/cuda/cuda_jpeg_decoder.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_status.h"
#include "device/cuda/cuda_stream.h"
#include "device/host_memory.h"

#if CUDART_VERSION < 12000
#error "feedrate needs CUDA 12.0 or newer"
#endif

namespace feedrate {
namespace {

static_assert(cuda_error::kSuccess == cudaSuccess);
static_assert(cuda_error::kMemoryAllocation == cudaErrorMemoryAllocation);
static_assert(cuda_error::kInitializationError == cudaErrorInitializationError);
static_assert(cuda_error::kStubLibrary == cudaErrorStubLibrary);
static_assert(cuda_error::kInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(cuda_error::kCallRequiresNewerDriver == cudaErrorCallRequiresNewerDriver);
static_assert(cuda_error::kDevicesUnavailable == cudaErrorDevicesUnavailable);
static_assert(cuda_error::kNoDevice == cudaErrorNoDevice);
static_assert(cuda_error::kInvalidDevice == cudaErrorInvalidDevice);
static_assert(cuda_error::kNoKernelImageForDevice == cudaErrorNoKernelImageForDevice);
static_assert(cuda_error::kEccUncorrectable == cudaErrorECCUncorrectable);
static_assert(cuda_error::kUnsupportedPtxVersion == cudaErrorUnsupportedPtxVersion);
static_assert(cuda_error::kOperatingSystem == cudaErrorOperatingSystem);
static_assert(cuda_error::kSystemNotReady == cudaErrorSystemNotReady);
static_assert(cuda_error::kSystemDriverMismatch == cudaErrorSystemDriverMismatch);
static_assert(cuda_error::kCompatNotSupportedOnDevice == cudaErrorCompatNotSupportedOnDevice);
static_assert(cuda_error::kMpsConnectionFailed == cudaErrorMpsConnectionFailed);
static_assert(cuda_error::kUnknown == cudaErrorUnknown);

DeviceInfo read_info(const CudaContext& context) {
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    context.check(cudaDeviceGetAttribute(&value, which, context.index()), "cudaDeviceGetAttribute");
    return value;
  };
  cudaDeviceProp properties{};
  context.check(cudaGetDeviceProperties(&properties, context.index()), "cudaGetDeviceProperties");
  int driver = 0;
  int runtime = 0;
  context.check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  context.check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const std::string bus_id = context.pci_bus_id();
  return {
      .name = properties.name,
      .backend = "cuda",
      .simulated = false,
      .memory_bytes = properties.totalGlobalMem,
      .details = fmt::format(
          "driver supports CUDA {}, runtime {}, compute capability {}.{}, {} copy engines, PCI {}",
          cuda_version_text(driver), cuda_version_text(runtime),
          attribute(cudaDevAttrComputeCapabilityMajor),
          attribute(cudaDevAttrComputeCapabilityMinor), attribute(cudaDevAttrAsyncEngineCount),
          bus_id),
      .pci_bus_id = bus_id,
      .multiprocessors = properties.multiProcessorCount,
      .compute_major = properties.major,
      .compute_minor = properties.minor,
      .one_process = attribute(cudaDevAttrComputeMode) == cudaComputeModeExclusiveProcess};
}

void require_device(int index) {
  const CudaStatus status = probe_cuda();
  if (!status.problem.empty()) throw DeviceError(fmt::format("cuda:{}: {}", index, status.problem));
  if (index < 0 || index >= status.devices) {
    throw DeviceError(fmt::format("cuda:{}: no such device; must be cuda:0 to cuda:{}", index,
                                  status.devices - 1));
  }
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, Clock& clock)
      : context_(index),
        clock_(clock),
        info_(read_info(context_)),
        numa_node_(numa_node_of(context_)),
        gemms_(context_),
        default_stream_(make_cuda_default_stream(context_)) {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] Clock& clock() const noexcept override { return clock_; }

  [[nodiscard]] HostBuffer allocate_host(std::size_t size, HostMemory kind) override {
    if (kind == HostMemory::kPageable) return allocate_pageable(size);
    if (size == 0) return {nullptr, 0, HostMemory::kPinned, {}};
    HostBuffer pinned =
        allocate_cuda_pinned(context_, size, numa_node_, [this, size] { pinned_bytes_ -= size; });
    pinned_bytes_ += size;
    return pinned;
  }

  [[nodiscard]] DeviceBuffer allocate(std::size_t size) override {
    return {allocate_cuda(context_, size).release(), size, FreeCudaMemory{}};
  }

  [[nodiscard]] std::size_t pinned_bytes() const override { return pinned_bytes_; }

  [[nodiscard]] DeviceStream& default_stream() override { return *default_stream_; }

  [[nodiscard]] std::unique_ptr<DeviceStream> create_stream(StreamKind kind) override {
    return make_cuda_stream(context_, kind);
  }

  [[nodiscard]] std::unique_ptr<DeviceEvent> create_event() override {
    return make_cuda_event(context_);
  }

  [[nodiscard]] std::unique_ptr<DeviceWork> prepare_gemms(std::span<const Gemm> gemms,
                                                          Precision precision) override {
    if (const auto capability = cuda_compute_capability(context_.index())) {
      const std::string why_not = why_no_precision(precision, capability->major, capability->minor);
      if (!why_not.empty()) throw DeviceError(fmt::format("{}: {}", context_.name(), why_not));
    }
    return gemms_.prepare(gemms, precision);
  }

  [[nodiscard]] std::unique_ptr<JpegDecoder> open_jpeg_decoder() override {
    return open_cuda_jpeg_decoder(context_);
  }

  [[nodiscard]] std::unique_ptr<DeviceWork> capture(
      const std::function<void(DeviceStream&)>& issue) override {
    return capture_cuda_graph(context_, issue);
  }

  [[nodiscard]] Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    return elapsed_cuda(context_, from, to);
  }

  void synchronize() override {
    context_.enter();
    context_.check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  CudaContext context_;
  Clock& clock_;
  DeviceInfo info_;
  std::optional<int> numa_node_;
  std::atomic<std::size_t> pinned_bytes_ = 0;
  CudaGemmMaker gemms_;
  std::unique_ptr<DeviceStream> default_stream_;
};

}  // namespace

CudaStatus probe_cuda() {
  CudaAnswers answers;
  const cudaError_t error = cudaGetDeviceCount(&answers.devices);
  if (error != cudaSuccess) answers.devices = 0;
  answers.error = error;
  if (cudaDriverGetVersion(&answers.driver_version) != cudaSuccess) answers.driver_version = 0;
  if (cudaRuntimeGetVersion(&answers.runtime_version) != cudaSuccess) answers.runtime_version = 0;
  answers.error_name = cudaGetErrorName(error);
  answers.error_text = cudaGetErrorString(error);
  cudaGetLastError();
  return {.devices = answers.devices, .problem = describe_cuda_problem(answers)};
}

std::optional<ComputeCapability> cuda_compute_capability(int index) {
  ComputeCapability capability;
  const auto ask = [&](int& value, cudaDeviceAttr which) {
    return cudaDeviceGetAttribute(&value, which, index) == cudaSuccess;
  };
  if (ask(capability.major, cudaDevAttrComputeCapabilityMajor) &&
      ask(capability.minor, cudaDevAttrComputeCapabilityMinor)) {
    return capability;
  }
  cudaGetLastError();
  return std::nullopt;
}

DeviceInfo cuda_device_info(int index) {
  require_device(index);
  return read_info(CudaContext(index));
}

std::unique_ptr<Device> make_cuda_device(int index, Clock& clock) {
  if (dynamic_cast<SteadyClock*>(&clock) == nullptr) {
    throw ConfigError(fmt::format(
        "cuda:{}: a real device runs in real time; a manual clock needs a simulated device",
        index));
  }
  require_device(index);
  return std::make_unique<CudaDevice>(index, clock);
}

void end_cuda_context(int index) {
  require_device(index);
  const CudaContext context(index);
  context.enter();
  context.check(cudaDeviceReset(), "cudaDeviceReset");
}

}  // namespace feedrate
