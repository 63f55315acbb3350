// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvjpeg_batches.h"

#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate::nvjpeg {

class BatchDecoder::Backend {
 public:
  Backend(const Library& library, int backend) : call_(library.functions()) {
    problem_ = call_.CreateEx(backend, nullptr, nullptr, 0, &handle_);
    if (problem_ == kSuccess) problem_ = call_.JpegStateCreate(handle_, &state_);
    if (problem_ == kSuccess) problem_ = call_.JpegStreamCreate(handle_, &header_);
  }
  ~Backend() {
    if (header_ != nullptr) call_.JpegStreamDestroy(header_);
    if (state_ != nullptr) call_.JpegStateDestroy(state_);
    if (handle_ != nullptr) call_.Destroy(handle_);
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// kSuccess if this GPU has the backend.
  [[nodiscard]] int problem() const noexcept { return problem_; }

  /// Parses the file's header only.
  [[nodiscard]] bool takes(Bytes file) {
    int is_unsupported = 1;
    return call_.JpegStreamParseHeader(handle_, data_of(file), file.size(), header_) == kSuccess &&
           call_.DecodeBatchedSupported(handle_, header_, &is_unsupported) == kSuccess &&
           is_unsupported == 0;
  }

  void decode(std::span<const EncodedImage> images, std::byte* target, CUstream_st* stream) {
    if (images.empty()) return;
    list(images, target);
    // Initializing also resets the library after a failed batch.
    const std::size_t prepared_for = std::exchange(prepared_for_, 0);
    if (images.size() != prepared_for) {
      Library::check(call_.DecodeBatchedInitialize(handle_, state_, static_cast<int>(images.size()),
                                                   1, kInterleavedRgb),
                     "nvjpegDecodeBatchedInitialize");
    }
    Library::check(call_.DecodeBatched(handle_, state_, files_.data(), lengths_.data(),
                                       targets_.data(), stream),
                   "nvjpegDecodeBatched");
    prepared_for_ = images.size();
  }

 private:
  void list(std::span<const EncodedImage> images, std::byte* target) {
    files_.clear();
    lengths_.clear();
    targets_.clear();
    for (const EncodedImage& image : images) {
      files_.push_back(data_of(image.file));
      lengths_.push_back(image.file.size());
      Image entry{};
      entry.channel[0] = reinterpret_cast<unsigned char*>(target + image.offset);
      entry.pitch[0] = 3 * static_cast<std::size_t>(image.width);
      targets_.push_back(entry);
    }
  }

  static const unsigned char* data_of(Bytes file) {
    return reinterpret_cast<const unsigned char*>(file.data());
  }

  const Functions& call_;
  int problem_ = kSuccess;
  void* handle_ = nullptr;
  void* state_ = nullptr;
  void* header_ = nullptr;
  std::size_t prepared_for_ = 0;
  std::vector<const unsigned char*> files_;
  std::vector<std::size_t> lengths_;
  std::vector<Image> targets_;
};

BatchDecoder::BatchDecoder(Library library)
    : library_(std::move(library)),
      hardware_(std::make_unique<Backend>(library_, kHardwareBackend)),
      kernels_(std::make_unique<Backend>(library_, kDefaultBackend)),
      uses_hardware_(hardware_->problem() == kSuccess) {
  Library::check(kernels_->problem(), "nvjpegCreateEx");
  name_ = fmt::format("nvJPEG {}, {}", library_.version(),
                      uses_hardware_ ? "hardware decoder" : "no hardware decoder");
}

BatchDecoder::~BatchDecoder() = default;

void BatchDecoder::decode(std::span<const EncodedImage> images, std::byte* target,
                          CUstream_st* stream) {
  for_hardware_.clear();
  for_kernels_.clear();
  for (const EncodedImage& image : images) {
    const bool by_hardware = uses_hardware_ && hardware_->takes(image.file);
    (by_hardware ? for_hardware_ : for_kernels_).push_back(image);
  }
  try {
    decode_by_hardware(target, stream);
    kernels_->decode(for_kernels_, target, stream);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", describe_refused(images), error.what()));
  }
}

// A failed hardware decoder is kept, since it may have queued work, but not used again.
void BatchDecoder::decode_by_hardware(std::byte* target, CUstream_st* stream) try {
  hardware_->decode(for_hardware_, target, stream);
} catch (const DeviceError& error) {
  uses_hardware_ = false;
  name_ =
      fmt::format("nvJPEG {}, the hardware decoder failed: {}", library_.version(), error.what());
  for_kernels_.insert(for_kernels_.end(), for_hardware_.begin(), for_hardware_.end());
}

// The library reports only that some file of the batch is invalid.
std::string BatchDecoder::describe_refused(std::span<const EncodedImage> images) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!kernels_->takes(images[i].file)) {
      return fmt::format("file {} of {} in the batch", i, images.size());
    }
  }
  return fmt::format("one of {} files in the batch", images.size());
}

}  // namespace feedrate::nvjpeg
