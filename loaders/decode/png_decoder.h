// SPDX-License-Identifier: Apache-2.0
// Decodes PNG with libpng. One thread per decoder.
#pragma once
#include <memory>

#include "loaders/decode/decoder.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<Decoder> make_png_decoder();

}  // namespace feedrate
