// SPDX-License-Identifier: Apache-2.0
// recommendation.json: the result of a tune for programs. Pure function; any thread.
#pragma once
#include <string>

#include "analysis/tuner/recommendation.h"

namespace feedrate {

inline constexpr int kRecommendationSchemaVersion = 1;

/// Returns an indented object. "settings" are the complete recommended ones; rates are samples per
/// second; intervals are at "confidence_asked", "confidence" is the one reached. "started_at"
/// identifies the run (analysis/report/recommended.h); "text" is all printed text;
/// "dataloader_kwargs" are the plain arguments of "code", or null.
[[nodiscard]] std::string recommendation_json(const Findings& findings);

/// Same as read_recommended() returns.
[[nodiscard]] Recommended recommended_of(const Findings& findings);

}  // namespace feedrate
