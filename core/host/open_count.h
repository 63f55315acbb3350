// SPDX-License-Identifier: Apache-2.0
// Counts the files that this program's readers and its forked workers open: the load of a metadata
// server. Any thread, any process.
#pragma once
#include <cstdint>

namespace feedrate {

/// Returns the number since the program began. Files of workers count if this function was called
/// before they were forked. Files that libraries open (LMDB, HDF5) do not count.
[[nodiscard]] std::uint64_t opened_files() noexcept;

/// Called by every function that opens a data file.
void count_opened_file() noexcept;

}  // namespace feedrate
