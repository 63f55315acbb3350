#include "decode/fast_png_decoder.h"

#include <cstring>
#include <vector>

#include "decode/plain_png.h"
#include "decode/png_decoder.h"
#include "decode/unfilter.h"
#include "formats/inflate.h"

namespace feedrate {
namespace {

void repeat_grey(const std::uint8_t* grey, std::size_t pixels, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < pixels; ++i, rgb += 3) rgb[0] = rgb[1] = rgb[2] = grey[i];
}

void drop_alpha(const std::uint8_t* rgba, std::size_t pixels, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < pixels; ++i, rgba += 4, rgb += 3) std::memcpy(rgb, rgba, 3);
}

class FastPngDecoder final : public Decoder {
 public:
  void decode(Bytes encoded, Image& image) override {
    // Whatever is wrong with a file, libpng finds it again and says so in its own words.
    if (!decode_plain(encoded, image)) library_->decode(encoded, image);
  }

  ImageShape shape(Bytes encoded) override { return library_->shape(encoded); }

 private:
  bool decode_plain(Bytes encoded, Image& image) {
    const std::optional<PlainPng> png = find_plain_png(encoded, joined_);
    if (!png) return false;
    const std::size_t size = png->raw_bytes();
    grow(raw_, size + kReadBehind);
    const MutableBytes raw = std::as_writable_bytes(std::span(raw_)).first(size);
    if (!inflater_.inflate_strictly(png->stream, raw)) return false;
    image.reset({png->shape.height, png->shape.width, 3});
    return png->shape.channels == 3 ? undo_rgb(*png, image) : undo_in_place(*png, image);
  }

  static void grow(std::vector<std::uint8_t>& bytes, std::size_t size) {
    if (bytes.size() < size) bytes.resize(size);
  }

  /// Rows of the file that look like rows of the image are undone into their places.
  bool undo_rgb(const PlainPng& png, Image& image) {
    std::uint8_t* target = image.pixels.data();
    return for_each_row(png, [&](FilteredRow& row) {
      if (!unfilter(row, 3, target)) return false;
      row.above = target;
      target += row.size;
      return true;
    });
  }

  bool undo_in_place(const PlainPng& png, Image& image) {
    const auto width = static_cast<std::size_t>(png.shape.width);
    std::uint8_t* target = image.pixels.data();
    std::uint8_t* undone = raw_.data() + 1;
    return for_each_row(png, [&](FilteredRow& row) {
      if (!unfilter(row, png.shape.channels, undone)) return false;
      png.shape.channels == 1 ? repeat_grey(undone, width, target)
                              : drop_alpha(undone, width, target);
      row.above = undone;
      undone += row.size + 1;
      target += width * 3;
      return true;
    });
  }

  template <typename Undo>
  bool for_each_row(const PlainPng& png, Undo undo) {
    FilteredRow row;
    row.size = png.row_bytes() - 1;
    grow(zeros_, row.size + kReadBehind);
    row.above = zeros_.data();
    const std::uint8_t* raw = raw_.data();
    for (int y = 0; y < png.shape.height; ++y, raw += row.size + 1) {
      row.filter = raw[0];
      row.bytes = raw + 1;
      if (!undo(row)) return false;
    }
    return true;
  }

  static constexpr std::size_t kReadBehind = 1;  ///< what unfilter() asks for

  std::unique_ptr<Decoder> library_ = make_png_decoder();
  Inflater inflater_;
  std::vector<std::byte> joined_;
  std::vector<std::uint8_t> raw_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace

std::unique_ptr<Decoder> make_fast_png_decoder() { return std::make_unique<FastPngDecoder>(); }

}  // namespace feedrate
