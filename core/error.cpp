// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <filesystem>
#include <new>
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

std::string error_text(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "memory: allocation failed; use fewer workers or cells, or raise the limit (ulimit -v, "
           "the memory of the control group)";
  }
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return SystemError(file->path1().string(), "cannot be used", file->code().value()).what();
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return fmt::format(
        "processes and threads: limit reached ({}); use fewer workers, or raise the limit (ulimit "
        "-u, pids.max of the control group)",
        error.what());
  }
  return error.what();
}

}  // namespace feedrate
