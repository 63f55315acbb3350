// SPDX-License-Identifier: Apache-2.0
// Decodes batches of JPEG files. The GPU's hardware decoder takes the files it supports; its
// multiprocessors take the rest, or all if there is no such hardware. Needs no CUDA header. One
// thread, whose current device decodes.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/nvjpeg_library.h"
#include "device/work.h"

namespace feedrate::nvjpeg {

class BatchDecoder {
 public:
  /// Throws DeviceError if the GPU cannot decode JPEG.
  explicit BatchDecoder(Library library);
  ~BatchDecoder();
  BatchDecoder(const BatchDecoder&) = delete;
  BatchDecoder& operator=(const BatchDecoder&) = delete;

  /// Implements JpegDecoder::name(). Changes once the hardware decoder has failed.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Queues the decoding of all files as JpegDecoder::decode() does, but the previous batch must be
  /// done. Throws FormatError that names the invalid file if it can be found; some files may be
  /// queued then.
  void decode(std::span<const EncodedImage> images, std::byte* target, CUstream_st* stream);

 private:
  class Backend;

  void decode_by_hardware(std::byte* target, CUstream_st* stream);
  [[nodiscard]] std::string describe_refused(std::span<const EncodedImage> images);

  const Library library_;
  std::unique_ptr<Backend> hardware_;
  std::unique_ptr<Backend> kernels_;
  bool uses_hardware_;
  std::string name_;
  std::vector<EncodedImage> for_hardware_;
  std::vector<EncodedImage> for_kernels_;
};

}  // namespace feedrate::nvjpeg
