#include "decode/jpeg_decoder.h"

#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h uses FILE without including it.
#include <string>
#include <vector>

#include <fmt/format.h>
// The message codes of jerror.h depend on what jpeglib.h defines before.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "core/error.h"
#include "decode/pixel_limit.h"

namespace feedrate {
namespace {

// A progressive file of a few kilobytes can hold thousands of scans over the whole image, each as
// costly as a full decode. Encoders write about ten.
constexpr int kMaxScans = 500;

/// libjpeg reports errors through this; it has no way to return them. REQUIRES: `base` comes first.
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

/// Warnings that mean pixels are wrong or missing. The others, such as extraneous bytes before a
/// marker or an unknown JFIF revision, leave the image whole.
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

void stay_silent(j_common_ptr /*info*/) {}

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
                     short_data ? "ends early" : "is damaged or of an unsupported kind",
                     errors.text.data());
}

std::uint8_t multiply(int a, int b) {
  const int product = a * b + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

/// As Pillow: Adobe's convention of inverted inks is assumed of every file, and an ink takes away
/// its share of what black leaves.
void cmyk_to_rgb(const std::vector<std::uint8_t>& cmyk, std::uint8_t* rgb) {
  for (std::size_t i = 0; i + 3 < cmyk.size(); i += 4, rgb += 3) {
    const int light = cmyk[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[c] = static_cast<std::uint8_t>(light - multiply(255 - cmyk[i + c], light));
    }
  }
}

class JpegDecoder final : public Decoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = fail;
    errors_.base.emit_message = warn;
    errors_.base.output_message = stay_silent;
    guarded([this] { jpeg_create_decompress(&info_); });
    progress_.progress_monitor = limit_scans;
    info_.progress = &progress_;
  }
  ~JpegDecoder() override { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;  // libjpeg keeps pointers to the members.
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  void decode(Bytes encoded, Image& image) override {
    image.reset(read_header(encoded));
    const bool has_inks = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    if (has_inks) {
      inks_.resize(std::size_t{4} * info_.image_width);
      read_inks(image);
    } else {
      read_rgb(image);
    }
  }

  ImageShape shape(Bytes encoded) override { return read_header(encoded); }

 private:
  /// Runs calls of libjpeg, which leave by longjmp on an error: `work` must own nothing meanwhile.
  template <typename Work>
  void guarded(Work work) {
    if (setjmp(errors_.jump) != 0) throw FormatError(describe(errors_));
    work();
  }

  ImageShape read_header(Bytes encoded) {
    jpeg_abort_decompress(&info_);  // Whatever was left by an image before this one.
    guarded([&] {
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
      jpeg_read_header(&info_, TRUE);
    });
    check_pixel_count("JPEG image", info_.image_height, info_.image_width);
    if (info_.jpeg_color_space == JCS_UNKNOWN) {
      throw FormatError(fmt::format("JPEG image has {} components; 1, 3 and 4 are supported",
                                    info_.num_components));
    }
    return {static_cast<int>(info_.image_height), static_cast<int>(info_.image_width), 3};
  }

  void read_rgb(Image& image) {
    guarded([&] {
      info_.out_color_space = JCS_RGB;
      jpeg_start_decompress(&info_);
      read_rows([&](JDIMENSION y) { return row(image, y); }, [](JDIMENSION) {});
      jpeg_finish_decompress(&info_);
    });
  }

  void read_inks(Image& image) {
    guarded([&] {
      info_.out_color_space = JCS_CMYK;
      jpeg_start_decompress(&info_);
      read_rows([&](JDIMENSION) { return inks_.data(); },
                [&](JDIMENSION y) { cmyk_to_rgb(inks_, row(image, y)); });
      jpeg_finish_decompress(&info_);
    });
  }

  /// Stops where no row comes; jpeg_finish_decompress() then reports it.
  template <typename Target, typename Finish>
  void read_rows(Target target, Finish finish) {
    while (info_.output_scanline < info_.output_height) {
      const JDIMENSION y = info_.output_scanline;
      JSAMPROW pixels = target(y);
      if (jpeg_read_scanlines(&info_, &pixels, 1) != 1) return;
      finish(y);
    }
  }

  static std::uint8_t* row(Image& image, JDIMENSION y) {
    return image.pixels.data() + std::size_t{y} * static_cast<std::size_t>(image.shape.width) * 3;
  }

  jpeg_decompress_struct info_{};
  ErrorManager errors_;
  jpeg_progress_mgr progress_{};
  std::vector<std::uint8_t> inks_;
};

}  // namespace

std::unique_ptr<Decoder> make_jpeg_decoder() { return std::make_unique<JpegDecoder>(); }

}  // namespace feedrate
