// SPDX-License-Identifier: Apache-2.0
// Reads the recommendation.json of a tune. Any thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace feedrate {

inline constexpr const char* kRecommendationFile = "recommendation.json";

/// Returns the recommendation for `run`; empty if the file is missing or belongs to another run, by
/// its started_at. Throws FormatError (file, and byte or key), SystemError.
[[nodiscard]] std::optional<Recommended> read_recommended(const std::filesystem::path& folder,
                                                          const RunResult& run);

}  // namespace feedrate
