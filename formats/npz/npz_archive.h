// SPDX-License-Identifier: Apache-2.0
// One .npz file in memory: a ZIP archive of NumPy's arrays, stored, as numpy.savez() writes it.
// Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/units.h"

namespace feedrate {

/// The bytes of the array "x", as DLIO names it, or else of the first; a view of `file`. Throws
/// FormatError at `location` if the file is damaged, or the array compressed or encrypted.
[[nodiscard]] Bytes npz_array(Bytes file, const DataLocation& location);

/// numpy.savez(x=bytes, y=[label]), with times of 1980.
[[nodiscard]] std::string format_npz(Bytes bytes, std::int64_t label);

}  // namespace feedrate
