// SPDX-License-Identifier: Apache-2.0
// What a tune recommends, as its recommendation.json says: the one answer of its folder. Any
// thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace feedrate {

inline constexpr const char* kRecommendationFile = "recommendation.json";

/// That of `run`; nothing where the file is not there or belongs to another run, by its started_at.
/// Throws FormatError (file, and byte or key), SystemError.
[[nodiscard]] std::optional<Recommended> read_recommended(const std::filesystem::path& folder,
                                                          const RunResult& run);

}  // namespace feedrate
