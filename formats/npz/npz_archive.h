// SPDX-License-Identifier: Apache-2.0
// A .npz file in memory: an uncompressed ZIP archive of NumPy's arrays, as numpy.savez() writes it.
// Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/units.h"

namespace feedrate {

/// The bytes of the array "x", which is DLIO's name, or else of the first array; a view of `file`.
/// Throws FormatError at `location` if the file is damaged or the array compressed or encrypted.
[[nodiscard]] Bytes npz_array(Bytes file, const DataLocation& location);

/// The bytes of numpy.savez(x=bytes, y=[label]), with file times of 1980.
[[nodiscard]] std::string format_npz(Bytes bytes, std::int64_t label);

}  // namespace feedrate
