// SPDX-License-Identifier: Apache-2.0
// The course of a watched training as it stands in run.json and in the page: the points by columns,
// since there are hundreds. Any thread.
#pragma once
#include <string>

#include "core/course.h"
#include "core/json_node.h"

namespace feedrate {

/// On one line, without its end.
[[nodiscard]] std::string course_to_json(const RunCourse& course);

/// Throws FormatError.
[[nodiscard]] RunCourse read_course(const JsonNode& node);

}  // namespace feedrate
