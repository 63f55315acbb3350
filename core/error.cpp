// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <system_error>

#include <fmt/format.h>

namespace feedrate {

std::string to_string(const DataLocation& location) {
  std::string text = location.file;
  if (location.record) text += fmt::format(": record {}", *location.record);
  if (location.offset)
    text += fmt::format("{} byte {}", location.record ? " at" : ":", *location.offset);
  return text;
}

FormatError::FormatError(const DataLocation& location, std::string_view problem)
    : Error(fmt::format("{}: {}", to_string(location), problem)) {}

SystemError::SystemError(std::string_view subject, std::string_view action, int error_number)
    : Error(fmt::format("{}: {}: {}", subject, action,
                        std::generic_category().message(error_number))) {}

}  // namespace feedrate
