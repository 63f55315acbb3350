// SPDX-License-Identifier: Apache-2.0
#include "tests/loaders/decode/jpeg_maker.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>  // jpeglib.h uses FILE without including it.
#include <cstdlib>
#include <memory>

#include <jpeglib.h>

namespace feedrate::jpeg {
namespace {

struct Free {
  void operator()(unsigned char* memory) const { std::free(memory); }
};

struct Destroy {
  void operator()(jpeg_compress_struct* info) const { jpeg_destroy_compress(info); }
};

void set_kind(jpeg_compress_struct& info, const Kind& kind) {
  jpeg_set_quality(&info, 95, TRUE);
  if (kind.horizontal == 0) {
    jpeg_set_colorspace(&info, JCS_GRAYSCALE);
  } else {
    info.comp_info[0].h_samp_factor = kind.horizontal;
    info.comp_info[0].v_samp_factor = kind.vertical;
  }
  info.restart_in_rows = static_cast<int>(kind.restart_rows);
  if (kind.progressive) jpeg_simple_progression(&info);
}

std::vector<std::byte> encode(std::vector<std::uint8_t> rgb, int height, int width,
                              const Kind& kind) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  const std::unique_ptr<jpeg_compress_struct, Destroy> owner(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  set_kind(info, kind);
  jpeg_start_compress(&info, TRUE);
  for (std::uint8_t* row = rgb.data(); info.next_scanline < info.image_height;) {
    jpeg_write_scanlines(&info, &row, 1);
    row += std::size_t{3} * static_cast<std::size_t>(width);
  }
  jpeg_finish_compress(&info);
  const std::unique_ptr<unsigned char, Free> result(memory);
  const auto* const bytes = reinterpret_cast<const std::byte*>(memory);
  return {bytes, bytes + size};
}

std::size_t values(int height, int width) {
  return std::size_t{3} * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
}

}  // namespace

std::vector<std::byte> noise(int height, int width, const Kind& kind, RandomStream& random) {
  std::vector<std::uint8_t> rgb(values(height, width));
  for (std::uint8_t& value : rgb) value = random.below(2) == 0 ? 10 : 245;
  return encode(rgb, height, width, kind);
}

std::vector<std::byte> slope(int height, int width) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>((x + y) / 2));
  }
  return encode(rgb, height, width, {"yuv420", 2, 2});
}

std::vector<std::byte> with_first_scans(const std::vector<std::byte>& file, int scans) {
  const std::vector<std::byte> start{std::byte{0xFF}, std::byte{0xDA}};
  auto at = file.begin();
  for (int scan = 0; scan <= scans; ++scan) {
    at = std::search(at, file.end(), start.begin(), start.end());
    if (at == file.end()) return file;
    if (scan < scans) ++at;
  }
  std::vector<std::byte> result(file.begin(), at);
  result.insert(result.end(), {std::byte{0xFF}, std::byte{0xD9}});
  return result;
}

}  // namespace feedrate::jpeg
