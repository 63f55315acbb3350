// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include <cuda_runtime_api.h>

#include "device/checks.h"
#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_plans.h"
#include "device/cuda/cuda_work.h"
#include "device/cuda/kernels.h"

namespace feedrate {
namespace {

struct DestroyStream {
  void operator()(CUstream_st* stream) const noexcept { cudaStreamDestroy(stream); }
};
using OwnedStream = std::unique_ptr<CUstream_st, DestroyStream>;

NormalizeTable table_of(const PixelValues& values) {
  NormalizeTable table;
  static_assert(sizeof(table) == sizeof(values));
  std::memcpy(&table, values.data(), sizeof(table));
  return table;
}

class CudaStream final : public DeviceStream {
 public:
  /// `owned` is null for the default stream.
  CudaStream(const CudaContext& context, OwnedStream owned)
      : context_(context),
        scratch_(allocate_cuda(context, sizeof(BurnScratch))),
        plans_(context),
        owned_(std::move(owned)),
        stream_(owned_ ? owned_.get() : cudaStreamLegacy) {
    context_.check(count_burn_blocks(&blocks_), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const BurnScratch fresh;
    context_.check(cudaMemcpy(scratch_.get(), &fresh, sizeof(fresh), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
    context_.check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  }

  void copy_to_device(const DeviceBuffer& target, Bytes source) override {
    require_fits(context_.name(), source.size(), target.size());
    copy(target.data(), source.data(), source.size(), cudaMemcpyHostToDevice);
  }

  void copy_to_host(MutableBytes target, const DeviceBuffer& source) override {
    require_fits(context_.name(), target.size(), source.size());
    copy(target.data(), source.data(), target.size(), cudaMemcpyDeviceToHost);
  }

  void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) override {
    require_fits(context_.name(), source.size(), target.size());
    copy(target.data(), source.data(), source.size(), cudaMemcpyDeviceToDevice);
  }

  void burn(Nanos duration) override {
    context_.enter();
    const auto length = static_cast<std::uint64_t>(std::max(duration, Nanos::zero()).count());
    auto* const scratch = reinterpret_cast<BurnScratch*>(scratch_.get());
    context_.check(launch_burn(length, blocks_, scratch, stream_), "timed_burn");
  }

  void run(const DeviceWork& work) override {
    context_.enter();
    static_cast<const CudaWork&>(work).launch(stream_);
  }

  void normalize(const DeviceBuffer& target, const DeviceBuffer& source, const ImageBatch& batch,
                 const PixelValues& values) override {
    require_images(context_.name(), batch, source.size(), target.size());
    context_.enter();
    context_.check(launch_normalize(reinterpret_cast<const std::uint8_t*>(source.data()),
                                    reinterpret_cast<float*>(target.data()), batch.images,
                                    batch.pixels, table_of(values), stream_),
                   "normalize");
  }

  void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                 std::span<const PlannedImage> images, const ImageOutput& output,
                 const PixelValues& values) override {
    require_planned(context_.name(), images, output, source.size(), target.size());
    context_.enter();
    if (is_capturing()) refuse_capture(context_.name(), "transforming");
    const std::lock_guard lock(plans_mutex_);
    const PlacedPlan* const plans = plans_.send(images, stream_);
    context_.check(launch_transform(reinterpret_cast<const std::uint8_t*>(source.data()),
                                    reinterpret_cast<float*>(target.data()), plans, images.size(),
                                    output.height, output.width, table_of(values), stream_),
                   "transform");
  }

  void record(DeviceEvent& event) override {
    context_.enter();
    context_.check(cudaEventRecord(feedrate::handle_of(event), stream_), "cudaEventRecord");
  }

  void wait(const DeviceEvent& event) override {
    context_.enter();
    context_.check(cudaStreamWaitEvent(stream_, feedrate::handle_of(event), 0),
                   "cudaStreamWaitEvent");
  }

  void synchronize() override {
    context_.enter();
    context_.check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  [[nodiscard]] cudaStream_t handle() const noexcept { return stream_; }

 private:
  void copy(void* target, const void* source, std::size_t size, cudaMemcpyKind kind) {
    context_.enter();
    context_.check(cudaMemcpyAsync(target, source, size, kind, stream_), "cudaMemcpyAsync");
  }

  [[nodiscard]] bool is_capturing() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    context_.check(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
  }

  const CudaContext& context_;
  int blocks_ = 0;  // As many as fill the device.
  OwnedCudaMemory scratch_;
  std::mutex plans_mutex_;
  CudaPlans plans_;
  OwnedStream owned_;
  cudaStream_t stream_;
};

}  // namespace

CUstream_st* handle_of(const DeviceStream& stream) {
  return static_cast<const CudaStream&>(stream).handle();
}

std::unique_ptr<DeviceStream> make_cuda_default_stream(const CudaContext& context) {
  return std::make_unique<CudaStream>(context, nullptr);
}

std::unique_ptr<DeviceStream> make_cuda_stream(const CudaContext& context, StreamKind kind) {
  context.enter();
  const unsigned flags = kind == StreamKind::kBlocking ? cudaStreamDefault : cudaStreamNonBlocking;
  cudaStream_t stream = nullptr;
  context.check(cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreateWithFlags");
  return std::make_unique<CudaStream>(context, OwnedStream(stream));
}

}  // namespace feedrate
