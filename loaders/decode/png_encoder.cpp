// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <png.h>

#include "core/error.h"
#include "core/units.h"
#include "loaders/decode/encoder.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

struct Target {
  std::vector<std::byte> bytes;
  std::jmp_buf jump{};
  std::array<char, 160> text{};
};

[[noreturn]] void fail_encoding(png_structp png, png_const_charp message) {
  auto* const target = static_cast<Target*>(png_get_error_ptr(png));
  std::strncpy(target->text.data(), message, target->text.size() - 1);
  std::longjmp(target->jump, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

bool try_append(std::vector<std::byte>& bytes, Bytes more) noexcept try {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void write_bytes(png_structp png, png_bytep data, std::size_t size) {
  auto* const target = static_cast<Target*>(png_get_io_ptr(png));
  if (!try_append(target->bytes, {reinterpret_cast<const std::byte*>(data), size})) {
    png_error(png, "out of memory");
  }
}

void flush_nothing(png_structp /*png*/) {}

struct DestroyWriter {
  png_infop info = nullptr;
  void operator()(png_structp png) { png_destroy_write_struct(&png, &info); }
};

void write_image(png_structp png, png_infop info, const Image& image) {
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.shape.width),
               static_cast<png_uint_32>(image.shape.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t stride = static_cast<std::size_t>(image.shape.width) * 3;
  const std::uint8_t* row = image.pixels.data();
  for (int y = 0; y < image.shape.height; ++y, row += stride) png_write_row(png, row);
  png_write_end(png, info);
}

/// REQUIRES: the caller owns everything that must be freed, since libpng longjmps on an error.
void write_guarded(png_structp png, png_infop info, Target& target, const Image& image) {
  if (setjmp(target.jump) != 0) {
    throw FormatError(
        fmt::format("image cannot be written as PNG (libpng: {})", target.text.data()));
  }
  png_set_write_fn(png, &target, write_bytes, flush_nothing);
  write_image(png, info, image);
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image) {
  check_encodable(image.shape);
  Target target;
  std::unique_ptr<png_struct, DestroyWriter> png(
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, fail_encoding, ignore_warning));
  if (png == nullptr) throw std::bad_alloc();
  png_infop& info = png.get_deleter().info;
  info = png_create_info_struct(png.get());
  if (info == nullptr) throw std::bad_alloc();
  write_guarded(png.get(), info, target, image);
  return std::move(target.bytes);
}

}  // namespace feedrate
