#include "device/cuda/cuda_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "device/checks.h"
#include "device/cuda/cuda_status.h"
#include "device/cuda/kernels.h"
#include "device/host_memory.h"

namespace feedrate {
namespace {

static_assert(cuda_error::kSuccess == cudaSuccess);
static_assert(cuda_error::kStubLibrary == cudaErrorStubLibrary);
static_assert(cuda_error::kInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(cuda_error::kCallRequiresNewerDriver == cudaErrorCallRequiresNewerDriver);
static_assert(cuda_error::kNoDevice == cudaErrorNoDevice);

/// One device, for the calls on it.
class CudaContext {
 public:
  explicit CudaContext(int index) : index_(index), name_(fmt::format("cuda:{}", index)) {}

  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The runtime keeps the present device per thread, and our calls come from any thread; setting
  /// what is set already costs some tens of nanoseconds.
  void enter() const { check(cudaSetDevice(index_), "cudaSetDevice"); }

  void check(int error, std::string_view call) const {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // the runtime would report it again at the next call
    const auto code = static_cast<cudaError_t>(error);
    throw DeviceError(fmt::format("{}: {}: {}: {}", name_, call, cudaGetErrorName(code),
                                  cudaGetErrorString(code)));
  }

 private:
  int index_;
  std::string name_;
};

// The deleters run in destructors, so they have nobody to report to. A real failure is sticky and
// shows at the next checked call.
struct DestroyStream {
  void operator()(CUstream_st* stream) const noexcept { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
  void operator()(CUevent_st* event) const noexcept { cudaEventDestroy(event); }
};
struct FreeDeviceMemory {
  void operator()(void* data) const noexcept { cudaFree(data); }
};
using OwnedStream = std::unique_ptr<CUstream_st, DestroyStream>;
using OwnedEvent = std::unique_ptr<CUevent_st, DestroyEvent>;
using OwnedScratch = std::unique_ptr<BurnScratch, FreeDeviceMemory>;

class CudaEvent final : public DeviceEvent {
 public:
  explicit CudaEvent(const CudaContext& context) : context_(context) {
    context_.enter();
    cudaEvent_t event = nullptr;
    context_.check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
    event_.reset(event);
  }

  [[nodiscard]] bool query() const override {
    context_.enter();
    const cudaError_t answer = cudaEventQuery(event_.get());
    if (answer == cudaErrorNotReady) {
      cudaGetLastError();  // an answer, not an error
      return false;
    }
    context_.check(answer, "cudaEventQuery");
    return true;
  }

  void synchronize() const override {
    context_.enter();
    context_.check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
  }

  [[nodiscard]] cudaEvent_t handle() const noexcept { return event_.get(); }

 private:
  const CudaContext& context_;
  OwnedEvent event_;
};

cudaEvent_t handle_of(const DeviceEvent& event) {
  return static_cast<const CudaEvent&>(event).handle();
}

class CudaStream final : public DeviceStream {
 public:
  /// `owned` is null for the default stream.
  CudaStream(const CudaContext& context, int burn_blocks, OwnedStream owned)
      : context_(context),
        burn_blocks_(burn_blocks),
        owned_(std::move(owned)),
        stream_(owned_ ? owned_.get() : cudaStreamLegacy) {
    context_.enter();
    void* scratch = nullptr;
    context_.check(cudaMalloc(&scratch, sizeof(BurnScratch)), "cudaMalloc");
    scratch_.reset(static_cast<BurnScratch*>(scratch));
  }

  void copy_to_device(const DeviceBuffer& target, Bytes source) override {
    require_fits(context_.name(), source.size(), target.size());
    copy(target.data(), source.data(), source.size(), cudaMemcpyHostToDevice);
  }

  void copy_to_host(MutableBytes target, const DeviceBuffer& source) override {
    require_fits(context_.name(), target.size(), source.size());
    copy(target.data(), source.data(), target.size(), cudaMemcpyDeviceToHost);
  }

  void burn(Nanos duration) override {
    context_.enter();
    const auto length = static_cast<std::uint64_t>(std::max(duration, Nanos::zero()).count());
    context_.check(launch_burn(length, burn_blocks_, scratch_.get(), stream_), "timed_burn");
  }

  void record(DeviceEvent& event) override {
    context_.enter();
    context_.check(cudaEventRecord(handle_of(event), stream_), "cudaEventRecord");
  }

  void wait(const DeviceEvent& event) override {
    context_.enter();
    context_.check(cudaStreamWaitEvent(stream_, handle_of(event), 0), "cudaStreamWaitEvent");
  }

  void synchronize() override {
    context_.enter();
    context_.check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  void copy(void* target, const void* source, std::size_t size, cudaMemcpyKind kind) {
    context_.enter();
    context_.check(cudaMemcpyAsync(target, source, size, kind, stream_), "cudaMemcpyAsync");
  }

  const CudaContext& context_;
  int burn_blocks_;
  OwnedScratch scratch_;
  OwnedStream owned_;
  cudaStream_t stream_;
};

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
  std::array<char, 32> bus_id{};
  context.check(
      cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), context.index()),
      "cudaDeviceGetPCIBusId");
  return {.name = properties.name,
          .backend = "cuda",
          .simulated = false,
          .memory_bytes = properties.totalGlobalMem,
          .details = fmt::format(
              "driver knows CUDA {}, runtime {}, compute capability {}.{}, {} copy engines, PCI {}",
              cuda_version_text(driver), cuda_version_text(runtime),
              attribute(cudaDevAttrComputeCapabilityMajor),
              attribute(cudaDevAttrComputeCapabilityMinor), attribute(cudaDevAttrAsyncEngineCount),
              bus_id.data())};
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, Clock& clock)
      : context_(index),
        clock_(clock),
        info_(read_info(context_)),
        burn_blocks_(fitting_blocks(context_)),
        default_stream_(context_, burn_blocks_, nullptr) {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] Clock& clock() const noexcept override { return clock_; }

  [[nodiscard]] HostBuffer allocate_host(std::size_t size, HostMemory kind) override {
    if (kind == HostMemory::kPageable) return allocate_pageable(size);
    if (size == 0) return {nullptr, 0, HostMemory::kPinned, {}};
    context_.enter();
    void* data = nullptr;
    context_.check(cudaHostAlloc(&data, size, cudaHostAllocDefault), "cudaHostAlloc");
    pinned_bytes_ += size;
    return {static_cast<std::byte*>(data), size, kind, [this, size](std::byte* pinned) {
              cudaFreeHost(pinned);
              pinned_bytes_ -= size;
            }};
  }

  [[nodiscard]] DeviceBuffer allocate(std::size_t size) override {
    context_.enter();
    void* data = nullptr;
    context_.check(cudaMalloc(&data, size), "cudaMalloc");
    return {static_cast<std::byte*>(data), size, FreeDeviceMemory{}};
  }

  [[nodiscard]] std::size_t pinned_bytes() const override { return pinned_bytes_; }

  [[nodiscard]] DeviceStream& default_stream() override { return default_stream_; }

  [[nodiscard]] std::unique_ptr<DeviceStream> create_stream(StreamKind kind) override {
    context_.enter();
    const unsigned flags =
        kind == StreamKind::kBlocking ? cudaStreamDefault : cudaStreamNonBlocking;
    cudaStream_t stream = nullptr;
    context_.check(cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreateWithFlags");
    return std::make_unique<CudaStream>(context_, burn_blocks_, OwnedStream(stream));
  }

  [[nodiscard]] std::unique_ptr<DeviceEvent> create_event() override {
    return std::make_unique<CudaEvent>(context_);
  }

  [[nodiscard]] Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    context_.enter();
    float milliseconds = 0;
    const cudaError_t answer = cudaEventElapsedTime(&milliseconds, handle_of(from), handle_of(to));
    context_.check(answer, answer == cudaErrorInvalidResourceHandle
                               ? "cudaEventElapsedTime (the event is not recorded)"
                               : "cudaEventElapsedTime");
    return from_seconds(static_cast<double>(milliseconds) * 1e-3);
  }

  void synchronize() override {
    context_.enter();
    context_.check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  static int fitting_blocks(const CudaContext& context) {
    context.enter();
    int blocks = 0;
    context.check(count_burn_blocks(&blocks), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  }

  CudaContext context_;
  Clock& clock_;
  DeviceInfo info_;
  int burn_blocks_;
  std::atomic<std::size_t> pinned_bytes_ = 0;
  CudaStream default_stream_;
};

}  // namespace

CudaStatus probe_cuda() {
  CudaAnswers answers;
  // The runtime leaves its targets alone when it fails.
  const cudaError_t error = cudaGetDeviceCount(&answers.devices);
  if (error != cudaSuccess) answers.devices = 0;
  answers.error = error;
  if (cudaDriverGetVersion(&answers.driver_version) != cudaSuccess) answers.driver_version = 0;
  if (cudaRuntimeGetVersion(&answers.runtime_version) != cudaSuccess) answers.runtime_version = 0;
  answers.error_name = cudaGetErrorName(error);
  answers.error_text = cudaGetErrorString(error);
  cudaGetLastError();  // the runtime would report it again at the next call
  return {.devices = answers.devices, .problem = describe_cuda_problem(answers)};
}

std::unique_ptr<Device> make_cuda_device(int index, Clock& clock) {
  if (dynamic_cast<SteadyClock*>(&clock) == nullptr) {
    throw ConfigError(fmt::format(
        "cuda:{}: a real device runs in real time; a manual clock needs a simulated device",
        index));
  }
  const CudaStatus status = probe_cuda();
  if (!status.problem.empty()) throw DeviceError(fmt::format("cuda:{}: {}", index, status.problem));
  if (index < 0 || index >= status.devices) {
    throw DeviceError(fmt::format("cuda:{}: no such device; there are cuda:0 to cuda:{}", index,
                                  status.devices - 1));
  }
  return std::make_unique<CudaDevice>(index, clock);
}

}  // namespace feedrate
