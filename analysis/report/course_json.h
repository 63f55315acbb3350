// SPDX-License-Identifier: Apache-2.0
// Converts the course of a watched training to and from JSON, for run.json and the page. Points are
// stored by columns, since there are hundreds. Any thread.
#pragma once
#include <string>
#include <string_view>

#include "core/course.h"

namespace feedrate {

/// One line, without a line end.
[[nodiscard]] std::string course_to_json(const RunCourse& course);

/// Throws FormatError beginning with `location`.
[[nodiscard]] RunCourse course_from_json(std::string_view text, const std::string& location);

}  // namespace feedrate
