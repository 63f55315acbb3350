// SPDX-License-Identifier: Apache-2.0
// Headers of NumPy's .npy files, for 8-bit images and opaque bytes. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/image_shape.h"
#include "core/units.h"

namespace feedrate {

struct NpyHeader {
  std::size_t size = 0;  ///< offset of the pixels
  ImageShape shape;      ///< H×W×C; H×W is one channel
};

/// Throws FormatError at `location` unless `file` begins like a .npy file of uint8, C order, H×W,
/// H×W×1 or H×W×3.
[[nodiscard]] NpyHeader parse_npy_header(Bytes file, const DataLocation& location);

/// The offset of the numbers of an array of any type and shape. Throws FormatError at `location`
/// unless `file` begins like a .npy file.
[[nodiscard]] std::size_t npy_data_offset(Bytes file, const DataLocation& location);

/// The header that numpy.save() writes, since 1.23.
[[nodiscard]] std::string format_npy_header(const ImageShape& shape);
/// The header of an array of one dimension; `descr` is its type, "|u1".
[[nodiscard]] std::string format_npy_header(std::string_view descr, std::size_t length);

}  // namespace feedrate
