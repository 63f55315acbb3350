// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h uses FILE without including it.

#include <fmt/format.h>
#include <jpeglib.h>

#include "core/error.h"
#include "loaders/decode/encoder.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

/// libjpeg's callbacks get a pointer to `base`, which must be the first member.
struct EncoderErrors {
  jpeg_error_mgr base{};
  std::jmp_buf jump{};
  std::array<char, JMSG_LENGTH_MAX> text{};
};

[[noreturn]] void fail_encoding(j_common_ptr info) {
  auto* const errors = reinterpret_cast<EncoderErrors*>(info->err);
  errors->base.format_message(info, errors->text.data());
  std::longjmp(errors->jump, 1);
}

/// An upper bound of 4:2:0 data at any quality (TurboJPEG's tjBufSize), so that libjpeg never
/// replaces the buffer with its own.
std::size_t largest_result(const ImageShape& shape) {
  const auto padded = [](int size) { return (static_cast<std::size_t>(size) + 15) / 16 * 16; };
  return padded(shape.height) * padded(shape.width) * 3 + 2048;
}

class Compressor {
 public:
  Compressor() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = fail_encoding;
    guarded([this] { jpeg_create_compress(&info_); });
  }
  ~Compressor() { jpeg_destroy_compress(&info_); }
  Compressor(const Compressor&) = delete;  // libjpeg keeps pointers to the members.
  Compressor& operator=(const Compressor&) = delete;

  std::vector<std::byte> compress(const Image& image, int quality) {
    std::vector<std::byte> result(largest_result(image.shape));
    auto* target = reinterpret_cast<unsigned char*>(result.data());
    unsigned long size = result.size();
    guarded([&] {
      jpeg_mem_dest(&info_, &target, &size);
      start(image.shape, quality);
      write_rows(image);
      jpeg_finish_compress(&info_);
    });
    result.resize(size);
    return result;
  }

 private:
  /// libjpeg longjmps on an error: `work` must own nothing at that time.
  template <typename Work>
  void guarded(Work work) {
    if (setjmp(errors_.jump) != 0) {
      throw FormatError(
          fmt::format("image cannot be written as JPEG (libjpeg: {})", errors_.text.data()));
    }
    work();
  }

  void start(const ImageShape& shape, int quality) {
    info_.image_height = static_cast<JDIMENSION>(shape.height);
    info_.image_width = static_cast<JDIMENSION>(shape.width);
    info_.input_components = 3;
    info_.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, quality, TRUE);
    jpeg_start_compress(&info_, TRUE);
  }

  void write_rows(const Image& image) {
    const std::size_t stride = std::size_t{info_.image_width} * 3;
    while (info_.next_scanline < info_.image_height) {
      // libjpeg does not write to the row; its interface is older than const.
      auto* row = const_cast<JSAMPROW>(image.pixels.data() + info_.next_scanline * stride);
      if (jpeg_write_scanlines(&info_, &row, 1) != 1) return;  // finish reports the missing rows.
    }
  }

  jpeg_compress_struct info_{};
  EncoderErrors errors_;
};

}  // namespace

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
  check_encodable(image.shape);
  return Compressor().compress(image, quality);
}

}  // namespace feedrate
