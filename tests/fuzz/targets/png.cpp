// libdeflate's way against libpng: the same pixels, or the same error.
#include <string>
#include <vector>

#include "decode/fast_png_decoder.h"
#include "decode/png_decoder.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

/// Larger images only take longer.
constexpr std::size_t kMostPngValues = 3U << 20;

struct Outcome {
  std::string error;
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
};

Outcome outcome_of(Decoder& decoder, Bytes file) {
  Image image;
  try {
    decoder.decode(file, image);
  } catch (const Error& error) {
    return {error.what(), {}, {}};
  }
  image.pixels.resize(image.shape.size());
  return {{}, image.shape, image.pixels};
}

bool is_too_large(Decoder& decoder, Bytes file) {
  ImageShape shape;
  return accepts([&] { shape = decoder.shape(file); }) && shape.size() > kMostPngValues;
}

}  // namespace

bool png(Bytes input) {
  const auto library = make_png_decoder();
  if (is_too_large(*library, input)) return false;
  const Outcome expected = outcome_of(*library, input);
  const Outcome fast = outcome_of(*make_fast_png_decoder(), input);
  if (fast.error != expected.error) {
    finding("libpng says \"" + expected.error + "\", the fast way \"" + fast.error + "\"");
  }
  if (!(fast.shape == expected.shape)) finding("another shape than libpng's");
  if (fast.pixels != expected.pixels) finding("other pixels than libpng's");
  return expected.error.empty();
}

}  // namespace feedrate::fuzz
