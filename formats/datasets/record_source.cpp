// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/record_source.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

bool is_missing(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found;
}

}  // namespace

std::variant<Record, Problem> RecordSource::read(std::size_t index) const {
  try {
    return cursor_->read(index);
  } catch (const FormatError& error) {
    return Problem{error.what()};
  } catch (const SystemError& error) {
    if (!is_missing(reader_.locate(index).file)) throw;
    return Problem{
        fmt::format("{} (record {})", error.what(), index)};  // The error names the file.
  }
}

Problem RecordSource::problem(std::size_t index, std::string_view text) const {
  return {FormatError(reader_.locate(index), text).what()};
}

}  // namespace feedrate
