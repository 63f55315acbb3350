// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG with libjpeg-turbo. One thread per decoder.
#pragma once
#include <memory>

#include "loaders/decode/decoder.h"

namespace feedrate {

/// decode() is the same for each `decoding`; decode_part() is not.
[[nodiscard]] std::unique_ptr<Decoder> make_jpeg_decoder(Decoding decoding = Decoding::kFast);

}  // namespace feedrate
