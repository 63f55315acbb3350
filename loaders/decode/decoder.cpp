// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/decoder.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::string_view name;
  std::size_t offset;
  std::string_view bytes;
};

constexpr Magic kJpeg{"JPEG", 0, "\xFF\xD8\xFF"sv};
constexpr Magic kPng{"PNG", 0, "\x89PNG\r\n\x1A\n"sv};

constexpr std::array kUnsupported{
    Magic{"GIF", 0, "GIF8"sv},         Magic{"WebP", 8, "WEBP"sv},
    Magic{"BMP", 0, "BM"sv},           Magic{"TIFF", 0, "II*\0"sv},
    Magic{"TIFF", 0, "MM\0*"sv},       Magic{"AVIF", 4, "ftypavif"sv},
    Magic{"HEIC", 4, "ftypheic"sv},    Magic{"JPEG 2000", 0, "\0\0\0\x0CjP  "sv},
    Magic{"JPEG XL", 0, "\xFF\x0A"sv}, Magic{"PPM", 0, "P6"sv},
    Magic{"NumPy", 0, "\x93NUMPY"sv},  Magic{"gzip", 0, "\x1F\x8B"sv},
};

bool begins_with(Bytes data, const Magic& magic) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  return text.size() >= magic.offset && text.substr(magic.offset).starts_with(magic.bytes);
}

[[noreturn]] void reject(Bytes data) {
  if (data.empty()) throw FormatError("image data is empty; supported: JPEG, PNG");
  for (const Magic& magic : kUnsupported) {
    if (begins_with(data, magic)) {
      throw FormatError(fmt::format("image data looks like {}; supported: JPEG, PNG", magic.name));
    }
  }
  std::string bytes;
  for (const std::byte byte : data.first(std::min<std::size_t>(data.size(), 8))) {
    bytes += fmt::format(" {:02x}", std::to_integer<int>(byte));
  }
  throw FormatError(fmt::format(
      "image data begins with{}, which is not a known image format; supported: JPEG, PNG", bytes));
}

class AnyDecoder final : public Decoder {
 public:
  explicit AnyDecoder(Decoding decoding)
      : jpeg_(make_jpeg_decoder(decoding)), png_(make_png_decoder()) {}

  void decode(Bytes encoded, Image& image) override { pick(encoded).decode(encoded, image); }
  CropBox decode_part(Bytes encoded, const Select& select, Image& image) override {
    return pick(encoded).decode_part(encoded, select, image);
  }
  ImageShape shape(Bytes encoded) override { return pick(encoded).shape(encoded); }
  bool is_cmyk(Bytes encoded) override { return pick(encoded).is_cmyk(encoded); }

 private:
  Decoder& pick(Bytes encoded) {
    if (begins_with(encoded, kJpeg)) return *jpeg_;
    if (begins_with(encoded, kPng)) return *png_;
    reject(encoded);
  }

  std::unique_ptr<Decoder> jpeg_;
  std::unique_ptr<Decoder> png_;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Decoding decoding) {
  return std::make_unique<AnyDecoder>(decoding);
}

}  // namespace feedrate
