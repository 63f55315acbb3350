// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_jpeg_decoder.h"

#include <string>

#include <cuda_runtime_api.h>

#include "device/checks.h"
#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/nvjpeg_batches.h"

#if __has_include(<nvjpeg.h>)
#include <nvjpeg.h>
static_assert(feedrate::nvjpeg::kSuccess == NVJPEG_STATUS_SUCCESS);
static_assert(feedrate::nvjpeg::kBadJpeg == NVJPEG_STATUS_BAD_JPEG);
static_assert(feedrate::nvjpeg::kNotSupported == NVJPEG_STATUS_JPEG_NOT_SUPPORTED);
static_assert(feedrate::nvjpeg::kIncomplete == NVJPEG_STATUS_INCOMPLETE_BITSTREAM);
static_assert(feedrate::nvjpeg::kDefaultBackend == NVJPEG_BACKEND_DEFAULT);
static_assert(feedrate::nvjpeg::kHardwareBackend == NVJPEG_BACKEND_HARDWARE);
static_assert(feedrate::nvjpeg::kInterleavedRgb == NVJPEG_OUTPUT_RGBI);
static_assert(feedrate::nvjpeg::kMajorVersion == MAJOR_VERSION);
static_assert(feedrate::nvjpeg::kMinorVersion == MINOR_VERSION);
static_assert(sizeof(feedrate::nvjpeg::Image) == sizeof(nvjpegImage_t));
static_assert(offsetof(feedrate::nvjpeg::Image, pitch) == offsetof(nvjpegImage_t, pitch));

// As many arguments, each of the same size.
template <typename... Ours, typename... Theirs>
constexpr bool is_alike(int (*)(Ours...), nvjpegStatus_t (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return ((sizeof(Ours) == sizeof(Theirs)) && ...);
  }
}
#define FEEDRATE_ALIKE(name) \
  static_assert(is_alike(decltype(feedrate::nvjpeg::Functions::name){}, decltype(&nvjpeg##name){}))
FEEDRATE_ALIKE(GetProperty);
FEEDRATE_ALIKE(CreateEx);
FEEDRATE_ALIKE(Destroy);
FEEDRATE_ALIKE(JpegStateCreate);
FEEDRATE_ALIKE(JpegStateDestroy);
FEEDRATE_ALIKE(JpegStreamCreate);
FEEDRATE_ALIKE(JpegStreamParseHeader);
FEEDRATE_ALIKE(JpegStreamDestroy);
FEEDRATE_ALIKE(DecodeBatchedSupported);
FEEDRATE_ALIKE(DecodeBatchedInitialize);
FEEDRATE_ALIKE(DecodeBatched);
#undef FEEDRATE_ALIKE
#endif

namespace feedrate {
namespace {

class CudaJpegDecoder final : public JpegDecoder {
 public:
  explicit CudaJpegDecoder(const CudaContext& context)
      : context_(context), decoded_(create_cuda_event(context)), batches_(nvjpeg::Library()) {}
  // What is decoded last lies in the library's buffers.
  ~CudaJpegDecoder() override {
    cudaSetDevice(context_.index());
    cudaEventSynchronize(decoded_.get());
  }
  CudaJpegDecoder(const CudaJpegDecoder&) = delete;
  CudaJpegDecoder& operator=(const CudaJpegDecoder&) = delete;

  [[nodiscard]] const std::string& name() const noexcept override { return batches_.name(); }

  void decode(DeviceStream& stream, const DeviceBuffer& target,
              std::span<const EncodedImage> images) override {
    require_room(context_.name(), images, target.size());
    context_.enter();
    // The library's buffers are those of one batch.
    context_.check(cudaEventSynchronize(decoded_.get()), "cudaEventSynchronize");
    try {
      batches_.decode(images, target.data(), handle_of(stream));
    } catch (...) {
      cudaStreamSynchronize(handle_of(stream));  // The caller need not keep the files any more.
      cudaGetLastError();                        // what is wrong is what is being thrown
      throw;
    }
    context_.check(cudaEventRecord(decoded_.get(), handle_of(stream)), "cudaEventRecord");
  }

 private:
  const CudaContext& context_;
  OwnedCudaEvent decoded_;  // After the batch before.
  nvjpeg::BatchDecoder batches_;
};

}  // namespace

std::unique_ptr<JpegDecoder> open_cuda_jpeg_decoder(const CudaContext& context) {
  return std::make_unique<CudaJpegDecoder>(context);
}

}  // namespace feedrate
