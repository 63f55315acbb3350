// SPDX-License-Identifier: Apache-2.0
// recommendation.json: what a tune says in the end, for programs. Pure function; any thread.
#pragma once
#include <string>

#include "analysis/tuner/recommendation.h"

namespace feedrate {

inline constexpr int kRecommendationSchemaVersion = 1;

/// An object, indented. "settings" are those of the recommended cell, complete; rates are samples
/// per second; intervals are at "confidence_asked", "confidence" is what was reached. "started_at"
/// is the run's that it belongs to, by which analysis/report/recommended.h knows it; "text" all
/// that was said; "dataloader_kwargs" the plain arguments of "code", null where there is none.
[[nodiscard]] std::string recommendation_json(const Findings& findings);

/// The same as read_recommended() reads it back.
[[nodiscard]] Recommended recommended_of(const Findings& findings);

}  // namespace feedrate
