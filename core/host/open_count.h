// SPDX-License-Identifier: Apache-2.0
// How many files this program's readers have opened, its forked workers among them: evidence of
// what a loader asks a metadata server for. Any thread, any process.
#pragma once
#include <cstdint>

namespace feedrate {

/// Since the program began; take the difference of two calls. Workers count from the first call on
/// that was made before they were forked. What libraries open by themselves (LMDB, HDF5) is not
/// counted.
[[nodiscard]] std::uint64_t opened_files() noexcept;

/// One more. Called by whatever opens a data file.
void count_opened_file() noexcept;

}  // namespace feedrate
