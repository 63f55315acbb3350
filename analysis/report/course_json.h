// SPDX-License-Identifier: Apache-2.0
// Converts the course of a watched training to and from JSON, for run.json and the page. Points are
// stored by columns, since there are hundreds. Any thread.
#pragma once
#include <string>

#include "core/course.h"
#include "core/json_node.h"

namespace feedrate {

/// One line, without a line end.
[[nodiscard]] std::string course_to_json(const RunCourse& course);

/// Throws FormatError.
[[nodiscard]] RunCourse read_course(const JsonNode& node);

}  // namespace feedrate
