// Decodes the common kinds of PNG by libdeflate and vectors, and leaves all others to libpng. One
// thread per decoder.
#pragma once
#include <memory>

#include "decode/decoder.h"

namespace feedrate {

/// The pixels and the errors of make_png_decoder().
[[nodiscard]] std::unique_ptr<Decoder> make_fast_png_decoder();

}  // namespace feedrate
