// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG with libjpeg-turbo. One thread per decoder.
#pragma once
#include <memory>

#include "loaders/decode/decoder.h"

namespace feedrate {

/// All values of `decoding` decode whole images alike; decode_part() differs.
[[nodiscard]] std::unique_ptr<Decoder> make_jpeg_decoder(Decoding decoding = Decoding::kFast);

}  // namespace feedrate
