// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h uses FILE without including it.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "loaders/decode/decoder.h"
// The message codes of jerror.h depend on what jpeglib.h defines before.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "core/error.h"
#include "loaders/decode/jpeg_scale.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

// A progressive file of a few kilobytes can hold thousands of scans over the whole image, each as
// costly as a full decode. Encoders write about ten.
constexpr int kMaxScans = 500;

/// libjpeg's callbacks get a pointer to `base`, which must be the first member.
struct ErrorManager {
  jpeg_error_mgr base{};
  std::jmp_buf jump{};
  std::array<char, JMSG_LENGTH_MAX> text{};
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* const errors = reinterpret_cast<ErrorManager*>(info->err);
  errors->base.format_message(info, errors->text.data());
  std::longjmp(errors->jump, 1);
}

/// Whether a warning means that pixels are wrong or missing. Other warnings, such as extraneous
/// bytes before a marker or an unknown JFIF revision, leave the image intact.
bool is_damage(int message_code) {
  switch (message_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      return true;
    default:
      return false;
  }
}

void warn(j_common_ptr info, int level) {
  if (level < 0 && is_damage(info->err->msg_code)) fail(info);
}

void ignore_message(j_common_ptr /*info*/) {}

void limit_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* const errors = reinterpret_cast<ErrorManager*>(info->err);
  errors->base.msg_code = JERR_BAD_PROGRESSION;
  std::snprintf(errors->text.data(), errors->text.size(), "more than %d scans", kMaxScans);
  std::longjmp(errors->jump, 1);
}

std::string describe(const ErrorManager& errors) {
  const int code = errors.base.msg_code;
  const bool short_data =
      code == JWRN_JPEG_EOF || code == JERR_INPUT_EMPTY || code == JERR_INPUT_EOF;
  return fmt::format("JPEG data {} (libjpeg: {})",
                     short_data ? "ends early" : "is damaged or unsupported", errors.text.data());
}

std::uint8_t multiply(int a, int b) {
  const int product = a * b + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

/// Converts as Pillow does: assumes Adobe's inverted CMYK for every file, and each ink removes its
/// share of the light that black leaves.
void cmyk_to_rgb(const std::vector<std::uint8_t>& cmyk, std::uint8_t* rgb) {
  for (std::size_t i = 0; i + 3 < cmyk.size(); i += 4, rgb += 3) {
    const int light = cmyk[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[c] = static_cast<std::uint8_t>(light - multiply(255 - cmyk[i + c], light));
    }
  }
}

/// Extra columns decoded on either side of a part. With chroma subsampling, a pixel mixes two
/// neighboring chroma columns, and libjpeg-turbo treats the edge of a part as the edge of an image.
/// Two columns would suffice, but the library does not mix fewer than three chroma columns. Rows
/// need no margin.
constexpr int kMargin = 4;

class JpegDecoder final : public Decoder {
 public:
  explicit JpegDecoder(Decoding decoding) : decoding_(decoding) {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = fail;
    errors_.base.emit_message = warn;
    errors_.base.output_message = ignore_message;
    guarded([this] { jpeg_create_decompress(&info_); });
    progress_.progress_monitor = limit_scans;
    info_.progress = &progress_;
  }
  ~JpegDecoder() override { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;  // libjpeg keeps pointers to the members.
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  void decode(Bytes encoded, Image& image) override {
    image.reset(read_header(encoded));
    read_all(image);
  }

  CropBox decode_part(Bytes encoded, const Select& select, Image& image) override {
    const ImageShape whole = read_header(encoded);
    const Selection wanted = select(whole);
    const int eighths = decoding_ == Decoding::kScaled ? eighths_for(wanted) : 8;
    const bool all = eighths == 8 && wanted.box == whole_of(whole);
    if (all || decoding_ == Decoding::kLibrary || !parts_are_exact()) {
      image.reset(whole);
      read_all(image);
      return wanted.box;
    }
    const auto found = read_part(scaled(wanted.box, eighths), eighths, image);
    if (found) return *found;
    decode(encoded, image);  // Throws the library's error if the image is damaged.
    return wanted.box;
  }

  ImageShape shape(Bytes encoded) override { return read_header(encoded); }
  bool is_cmyk(Bytes encoded) override {
    read_header(encoded);
    return is_cmyk();
  }

 private:
  /// libjpeg longjmps on an error: `work` must own nothing at that time.
  template <typename Work>
  void guarded(Work work) {
    if (setjmp(errors_.jump) != 0) throw FormatError(describe(errors_));
    work();
  }

  ImageShape read_header(Bytes encoded) {
    jpeg_abort_decompress(&info_);  // Discards the state of the previous image.
    guarded([&] {
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
      jpeg_read_header(&info_, TRUE);
    });
    check_pixel_count("JPEG image", info_.image_height, info_.image_width);
    if (info_.jpeg_color_space == JCS_UNKNOWN) {
      throw FormatError(
          fmt::format("JPEG image has {} components; must have 1, 3 or 4", info_.num_components));
    }
    return {static_cast<int>(info_.image_height), static_cast<int>(info_.image_width), 3};
  }

  [[nodiscard]] bool is_cmyk() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  void read_all(Image& image) {
    if (is_cmyk()) {
      cmyk_.resize(std::size_t{4} * info_.image_width);
      read_cmyk(image);
    } else {
      read_rgb(image);
    }
  }

  /// Only for common kinds of JPEG; others have different rules at the edges.
  bool parts_are_exact() {
    const bool common = info_.max_h_samp_factor <= 2 && info_.max_v_samp_factor <= 2;
    const bool whole_scan = info_.progressive_mode || !jpeg_has_multiple_scans(&info_);
    return common && whole_scan && !is_cmyk();
  }

  /// Whether the library would smooth a progressive image with missing scans, which uses pixels
  /// outside the part. Known once the scans are read.
  [[nodiscard]] bool is_smoothed() const {
    if (!info_.progressive_mode || info_.coef_bits == nullptr) return false;
    for (int component = 0; component < info_.num_components; ++component) {
      const int* const bits = info_.coef_bits[component];
      if (std::any_of(bits, bits + 10, [](int missing) { return missing != 0; })) return true;
    }
    return false;
  }

  /// Decodes `box`, in pixels of the scaled image, with margin columns; returns its box in `image`.
  /// Empty if the image must be decoded as a whole.
  std::optional<CropBox> read_part(const CropBox& box, int eighths, Image& image) {
    JDIMENSION first = 0;
    guarded([&] {
      info_.out_color_space = JCS_RGB;
      info_.scale_num = static_cast<unsigned>(eighths);
      info_.scale_denom = 8;
      jpeg_start_decompress(&info_);
      if (!is_smoothed()) first = crop_columns(box);
    });
    if (is_smoothed()) return {};
    image.reset({box.height, static_cast<int>(info_.output_width), 3});
    const auto top = static_cast<JDIMENSION>(box.top);
    const JDIMENSION bottom = top + static_cast<JDIMENSION>(box.height);
    guarded([&] {
      if (top > 0) jpeg_skip_scanlines(&info_, top);
      read_rows(
          bottom, [&](JDIMENSION y) { return row(image, y - top); }, [](JDIMENSION) {});
    });
    if (info_.output_scanline != bottom || !has_end_marker()) return {};
    return CropBox{0, box.left - static_cast<int>(first), box.height, box.width};
  }

  /// Returns the first decoded column, which the library aligns to a block.
  JDIMENSION crop_columns(const CropBox& box) {
    const auto width = static_cast<int>(info_.output_width);
    const int left = std::max(box.left - kMargin, 0);
    const int right = std::min(box.left + box.width + kMargin, width);
    auto first = static_cast<JDIMENSION>(left);
    auto count = static_cast<JDIMENSION>(right - left);
    if (right - left < width) jpeg_crop_scanline(&info_, &first, &count);
    return first;
  }

  /// Whether the end marker follows the part, so that a truncated file is detected even if the part
  /// is intact.
  bool has_end_marker() {
    if (info_.unread_marker == JPEG_EOI || jpeg_input_complete(&info_)) return true;
    const JOCTET* const begin = info_.src->next_input_byte;
    constexpr std::array<JOCTET, 2> kEnd{0xFF, JPEG_EOI};
    const JOCTET* const end = begin + info_.src->bytes_in_buffer;
    return std::find_end(begin, end, kEnd.begin(), kEnd.end()) != end;
  }

  void read_rgb(Image& image) {
    guarded([&] {
      info_.out_color_space = JCS_RGB;
      jpeg_start_decompress(&info_);
      read_rows(
          info_.output_height, [&](JDIMENSION y) { return row(image, y); }, [](JDIMENSION) {});
      jpeg_finish_decompress(&info_);
    });
  }

  void read_cmyk(Image& image) {
    guarded([&] {
      info_.out_color_space = JCS_CMYK;
      jpeg_start_decompress(&info_);
      read_rows(
          info_.output_height, [&](JDIMENSION) { return cmyk_.data(); },
          [&](JDIMENSION y) { cmyk_to_rgb(cmyk_, row(image, y)); });
      jpeg_finish_decompress(&info_);
    });
  }

  template <typename Target, typename Finish>
  void read_rows(JDIMENSION end, Target target, Finish finish) {
    while (info_.output_scanline < end) {
      const JDIMENSION y = info_.output_scanline;
      JSAMPROW pixels = target(y);
      if (jpeg_read_scanlines(&info_, &pixels, 1) != 1) return;
      finish(y);
    }
  }

  static std::uint8_t* row(Image& image, JDIMENSION y) {
    return image.pixels.data() + std::size_t{y} * static_cast<std::size_t>(image.shape.width) * 3;
  }

  Decoding decoding_;
  jpeg_decompress_struct info_{};
  ErrorManager errors_;
  jpeg_progress_mgr progress_{};
  std::vector<std::uint8_t> cmyk_;
};

}  // namespace

std::unique_ptr<Decoder> make_jpeg_decoder(Decoding decoding) {
  return std::make_unique<JpegDecoder>(decoding);
}

}  // namespace feedrate
