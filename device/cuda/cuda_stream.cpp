#include "device/cuda/cuda_stream.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include <cuda_runtime_api.h>

#include "device/checks.h"
#include "device/cuda/kernels.h"

namespace feedrate {
namespace {

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
    const std::lock_guard lock(burn_mutex_);
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
  std::mutex
      burn_mutex_;  // a burn is a reset of the scratch and a kernel: no other may come between
  OwnedScratch scratch_;
  OwnedStream owned_;
  cudaStream_t stream_;
};

}  // namespace

int count_burn_blocks(const CudaContext& context) {
  context.enter();
  int blocks = 0;
  context.check(count_burn_blocks(&blocks), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

std::unique_ptr<DeviceStream> make_cuda_default_stream(const CudaContext& context,
                                                       int burn_blocks) {
  return std::make_unique<CudaStream>(context, burn_blocks, nullptr);
}

std::unique_ptr<DeviceStream> make_cuda_stream(const CudaContext& context, int burn_blocks,
                                               StreamKind kind) {
  context.enter();
  const unsigned flags = kind == StreamKind::kBlocking ? cudaStreamDefault : cudaStreamNonBlocking;
  cudaStream_t stream = nullptr;
  context.check(cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreateWithFlags");
  return std::make_unique<CudaStream>(context, burn_blocks, OwnedStream(stream));
}

std::unique_ptr<DeviceEvent> make_cuda_event(const CudaContext& context) {
  return std::make_unique<CudaEvent>(context);
}

Nanos elapsed_cuda(const CudaContext& context, const DeviceEvent& from, const DeviceEvent& to) {
  context.enter();
  float milliseconds = 0;
  const cudaError_t answer = cudaEventElapsedTime(&milliseconds, handle_of(from), handle_of(to));
  context.check(answer, answer == cudaErrorInvalidResourceHandle
                            ? "cudaEventElapsedTime (the event is not recorded)"
                            : "cudaEventElapsedTime");
  return from_seconds(static_cast<double>(milliseconds) * 1e-3);
}

}  // namespace feedrate
