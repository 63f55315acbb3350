// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <csetjmp>
#include <cstring>

#include <fmt/format.h>
#include <png.h>

#include "core/error.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

struct Source {
  Bytes rest;
  bool ended_early = false;
  std::jmp_buf jump{};
  std::array<char, 160> text{};
};

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  auto* const source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->text.data(), message, source->text.size() - 1);
  std::longjmp(source->jump, 1);
}

void ignore_message(png_structp /*png*/, png_const_charp /*message*/) {}

void read_bytes(png_structp png, png_bytep target, std::size_t size) {
  auto* const source = static_cast<Source*>(png_get_io_ptr(png));
  if (size > source->rest.size()) {
    source->ended_early = true;
    png_error(png, "read error");
  }
  std::memcpy(target, source->rest.data(), size);
  source->rest = source->rest.subspan(size);
}

// Converts 16-bit gray to RGB as Pillow and ImageFolder do: values above 255 become white.
void clip_to_8_bits(png_structp /*png*/, png_row_infop row, png_bytep data) {
  for (std::size_t i = 0; i < row->rowbytes / 2; ++i) {
    data[i] = data[2 * i] > 0 ? 255 : data[2 * i + 1];
  }
}

struct DestroyReader {
  png_infop info = nullptr;
  void operator()(png_structp png) { png_destroy_read_struct(&png, &info, nullptr); }
};

/// Reads one image; libpng's state cannot be reused for another.
class Reading {
 public:
  explicit Reading(Bytes encoded) : encoded_size_(encoded.size()) {
    source_.rest = encoded;
    png_.reset(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, fail, ignore_message));
    if (png_ == nullptr) throw std::bad_alloc();
    png_.get_deleter().info = png_create_info_struct(png_.get());
    if (info() == nullptr) throw std::bad_alloc();
  }

  ImageShape read_header() {
    guarded([this] {
      png_set_read_fn(png_.get(), &source_, read_bytes);
      png_set_user_limits(png_.get(), PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_set_crc_action(png_.get(), PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
      // Ignores color profiles, texts and times, which may be damaged.
      png_set_keep_unknown_chunks(png_.get(), PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_read_info(png_.get(), info());
    });
    const auto height = png_get_image_height(png_.get(), info());
    const auto width = png_get_image_width(png_.get(), info());
    check_pixel_count("PNG image", height, width);
    return {static_cast<int>(height), static_cast<int>(width), 3};
  }

  void read_rows(Image& image) {
    guarded([&] {
      const int passes = request_rgb();
      const std::size_t row = png_get_rowbytes(png_.get(), info());
      if (row != static_cast<std::size_t>(image.shape.width) * 3) {
        png_error(png_.get(), "not convertible to RGB");
      }
      for (int pass = 0; pass < passes; ++pass) {
        std::uint8_t* target = image.pixels.data();
        for (int y = 0; y < image.shape.height; ++y, target += row) {
          png_read_row(png_.get(), target, nullptr);
        }
      }
      png_read_end(png_.get(), nullptr);
    });
  }

  /// Deflate compresses by at most 1032:1, so that a short file that claims a large image is
  /// rejected before its pixels are allocated.
  void check_size() {
    constexpr std::size_t kMaxDeflateRatio = 1032;
    const std::size_t raw =
        png_get_rowbytes(png_.get(), info()) * png_get_image_height(png_.get(), info());
    if (raw / kMaxDeflateRatio > encoded_size_) {
      throw FormatError(fmt::format("PNG data ends early: {} bytes cannot hold {} bytes of pixels",
                                    encoded_size_, raw));
    }
  }

 private:
  png_infop info() { return png_.get_deleter().info; }

  /// Returns the number of passes over the image.
  int request_rgb() {
    const bool is_gray = png_get_color_type(png_.get(), info()) == PNG_COLOR_TYPE_GRAY;
    if (is_gray && png_get_bit_depth(png_.get(), info()) == 16) {
      png_set_read_user_transform_fn(png_.get(), clip_to_8_bits);
      png_set_user_transform_info(png_.get(), nullptr, 8, 3);
    } else {
      png_set_strip_16(png_.get());
    }
    png_set_palette_to_rgb(png_.get());
    png_set_expand_gray_1_2_4_to_8(png_.get());
    png_set_strip_alpha(png_.get());
    png_set_gray_to_rgb(png_.get());
    const int passes = png_set_interlace_handling(png_.get());
    png_read_update_info(png_.get(), info());
    return passes;
  }

  /// libpng longjmps on an error: `work` must own nothing.
  template <typename Work>
  void guarded(Work work) {
    if (setjmp(source_.jump) != 0) {
      throw FormatError(fmt::format("PNG data {} (libpng: {})",
                                    source_.ended_early ? "ends early" : "is damaged",
                                    source_.text.data()));
    }
    work();
  }

  Source source_;
  std::size_t encoded_size_;
  std::unique_ptr<png_struct, DestroyReader> png_;
};

class PngDecoder final : public Decoder {
 public:
  void decode(Bytes encoded, Image& image) override {
    Reading reading(encoded);
    const ImageShape shape = reading.read_header();
    reading.check_size();
    image.reset(shape);
    reading.read_rows(image);
  }

  ImageShape shape(Bytes encoded) override { return Reading(encoded).read_header(); }
};

}  // namespace

std::unique_ptr<Decoder> make_png_decoder() { return std::make_unique<PngDecoder>(); }

}  // namespace feedrate
