#include "device/cuda/cuda_jpeg_decoder.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "device/checks.h"
#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/nvjpeg_library.h"

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
#endif

namespace feedrate {
namespace {

using nvjpeg::Library;

// One way of decoding, and the batch that it is going to decode.
class Backend {
 public:
  Backend(const Library& library, int backend) : library_(library) {
    problem_ = call().CreateEx(backend, nullptr, nullptr, 0, &handle_);
    if (problem_ == nvjpeg::kSuccess) problem_ = call().JpegStateCreate(handle_, &state_);
    if (problem_ == nvjpeg::kSuccess) problem_ = call().JpegStreamCreate(handle_, &header_);
  }
  ~Backend() {
    if (header_ != nullptr) call().JpegStreamDestroy(header_);
    if (state_ != nullptr) call().JpegStateDestroy(state_);
    if (handle_ != nullptr) call().Destroy(handle_);
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// nvjpeg::kSuccess where this GPU has it.
  [[nodiscard]] int problem() const noexcept { return problem_; }

  [[nodiscard]] bool takes(Bytes file) {
    Library::check(call().JpegStreamParseHeader(handle_, data_of(file), file.size(), header_),
                   "nvjpegJpegStreamParseHeader");
    int is_unsupported = 0;
    Library::check(call().DecodeBatchedSupported(handle_, header_, &is_unsupported),
                   "nvjpegDecodeBatchedSupported");
    return is_unsupported == 0;
  }

  void add(const EncodedImage& image, std::byte* target) {
    files_.push_back(data_of(image.file));
    lengths_.push_back(image.file.size());
    nvjpeg::Image place{};
    place.channel[0] = reinterpret_cast<unsigned char*>(target + image.offset);
    place.pitch[0] = 3 * static_cast<std::size_t>(image.width);
    targets_.push_back(place);
  }

  void decode(CUstream_st* stream) {
    if (files_.empty()) return;
    if (files_.size() != prepared_for_) {
      Library::check(
          call().DecodeBatchedInitialize(handle_, state_, static_cast<int>(files_.size()), 1,
                                         nvjpeg::kInterleavedRgb),
          "nvjpegDecodeBatchedInitialize");
      prepared_for_ = files_.size();
    }
    const int status = call().DecodeBatched(handle_, state_, files_.data(), lengths_.data(),
                                            targets_.data(), stream);
    files_.clear();
    lengths_.clear();
    targets_.clear();
    Library::check(status, "nvjpegDecodeBatched");
  }

 private:
  [[nodiscard]] const nvjpeg::Functions& call() const { return library_.functions(); }
  static const unsigned char* data_of(Bytes file) {
    return reinterpret_cast<const unsigned char*>(file.data());
  }

  const Library& library_;
  int problem_ = nvjpeg::kSuccess;
  void* handle_ = nullptr;
  void* state_ = nullptr;
  void* header_ = nullptr;  // Of the file that was looked at last.
  std::size_t prepared_for_ = 0;
  std::vector<const unsigned char*> files_;
  std::vector<std::size_t> lengths_;
  std::vector<nvjpeg::Image> targets_;
};

// The hardware decoder takes baseline files; multiprocessors decode the others, and all where the
// GPU has no such hardware.
class CudaJpegDecoder final : public JpegDecoder {
 public:
  explicit CudaJpegDecoder(const CudaContext& context)
      : context_(context), decoded_(create_cuda_event(context)) {
    context_.enter();
    hardware_.emplace(library_, nvjpeg::kHardwareBackend);
    if (hardware_->problem() != nvjpeg::kSuccess) hardware_.reset();
    kernels_.emplace(library_, nvjpeg::kDefaultBackend);
    Library::check(kernels_->problem(), "nvjpegCreateEx");
    name_ = fmt::format("nvJPEG {}, {}", library_.version(),
                        hardware_ ? "hardware decoder" : "no hardware decoder");
  }

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }

  void decode(DeviceStream& stream, const DeviceBuffer& target,
              std::span<const EncodedImage> images) override {
    require_room(context_.name(), images, target.size());
    context_.enter();
    // The library's buffers are those of one batch.
    context_.check(cudaEventSynchronize(decoded_.get()), "cudaEventSynchronize");
    for (const EncodedImage& image : images) {
      Backend& backend = hardware_ && hardware_->takes(image.file) ? *hardware_ : *kernels_;
      backend.add(image, target.data());
    }
    if (hardware_) hardware_->decode(handle_of(stream));
    kernels_->decode(handle_of(stream));
    context_.check(cudaEventRecord(decoded_.get(), handle_of(stream)), "cudaEventRecord");
  }

 private:
  const CudaContext& context_;
  OwnedCudaEvent decoded_;  // After the batch before.
  const Library library_;
  std::optional<Backend> hardware_;
  std::optional<Backend> kernels_;
  std::string name_;
};

}  // namespace

std::unique_ptr<JpegDecoder> open_cuda_jpeg_decoder(const CudaContext& context) {
  return std::make_unique<CudaJpegDecoder>(context);
}

}  // namespace feedrate
