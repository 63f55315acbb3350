// Decodes JPEG with libjpeg-turbo. One thread per decoder.
#pragma once
#include <memory>

#include "decode/decoder.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<Decoder> make_jpeg_decoder();

}  // namespace feedrate
