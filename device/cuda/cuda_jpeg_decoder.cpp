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

template <typename... Ours, typename... Theirs>
constexpr bool has_same_arguments(int (*)(Ours...), nvjpegStatus_t (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return ((sizeof(Ours) == sizeof(Theirs)) && ...);
  }
}
#define FEEDRATE_CHECK_ARGUMENTS(name)                                            \
  static_assert(has_same_arguments(decltype(feedrate::nvjpeg::Functions::name){}, \
                                   decltype(&nvjpeg##name){}))
FEEDRATE_CHECK_ARGUMENTS(GetProperty);
FEEDRATE_CHECK_ARGUMENTS(CreateEx);
FEEDRATE_CHECK_ARGUMENTS(Destroy);
FEEDRATE_CHECK_ARGUMENTS(JpegStateCreate);
FEEDRATE_CHECK_ARGUMENTS(JpegStateDestroy);
FEEDRATE_CHECK_ARGUMENTS(JpegStreamCreate);
FEEDRATE_CHECK_ARGUMENTS(JpegStreamParseHeader);
FEEDRATE_CHECK_ARGUMENTS(JpegStreamDestroy);
FEEDRATE_CHECK_ARGUMENTS(DecodeBatchedSupported);
FEEDRATE_CHECK_ARGUMENTS(DecodeBatchedInitialize);
FEEDRATE_CHECK_ARGUMENTS(DecodeBatched);
#undef FEEDRATE_CHECK_ARGUMENTS
#endif

namespace feedrate {
namespace {

class CudaJpegDecoder final : public JpegDecoder {
 public:
  explicit CudaJpegDecoder(const CudaContext& context)
      : context_(context), decoded_(create_cuda_event(context)), batches_(nvjpeg::Library()) {}
  ~CudaJpegDecoder() override {
    cudaSetDevice(context_.index());
    cudaEventSynchronize(decoded_.get());
  }
  CudaJpegDecoder(const CudaJpegDecoder&) = delete;
  CudaJpegDecoder& operator=(const CudaJpegDecoder&) = delete;

  [[nodiscard]] const std::string& name() const noexcept override { return batches_.name(); }

  void decode(DeviceStream& stream, const DeviceBuffer& target,
              std::span<const EncodedImage> images) override {
    require_decoded_fits(context_.name(), images, target.size());
    context_.enter();
    // The library's buffers hold one batch.
    context_.check(cudaEventSynchronize(decoded_.get()), "cudaEventSynchronize");
    try {
      batches_.decode(images, target.data(), handle_of(stream));
    } catch (...) {
      cudaStreamSynchronize(handle_of(stream));  // the files may then be freed
      cudaGetLastError();                        // the exception reports it
      throw;
    }
    context_.check(cudaEventRecord(decoded_.get(), handle_of(stream)), "cudaEventRecord");
  }

 private:
  const CudaContext& context_;
  OwnedCudaEvent decoded_;  // Recorded after the previous batch.
  nvjpeg::BatchDecoder batches_;
};

}  // namespace

std::unique_ptr<JpegDecoder> open_cuda_jpeg_decoder(const CudaContext& context) {
  return std::make_unique<CudaJpegDecoder>(context);
}

}  // namespace feedrate
