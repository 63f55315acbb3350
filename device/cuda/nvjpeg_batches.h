// SPDX-License-Identifier: Apache-2.0
// Batches of JPEG files, shared between the GPU's decoding hardware and its multiprocessors, which
// take what the hardware does not, and everything where there is none. Needs no CUDA header. One
// thread, whose present device is the one that decodes.
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
  /// Throws DeviceError if the GPU does not do it.
  explicit BatchDecoder(Library library);
  ~BatchDecoder();
  BatchDecoder(const BatchDecoder&) = delete;
  BatchDecoder& operator=(const BatchDecoder&) = delete;

  /// As JpegDecoder::name(). Another one once the hardware has failed.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Queues the decoding of all. As JpegDecoder::decode(), but the batch before must be done.
  /// Throws FormatError that tells which file it is, where that can be found out: some may be
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
