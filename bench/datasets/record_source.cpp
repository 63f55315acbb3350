#include "bench/datasets/record_source.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

std::variant<Record, Problem> RecordSource::read(std::size_t index) const {
  try {
    return cursor_->read(index);
  } catch (const FormatError& error) {
    return Problem{error.what()};
  } catch (const SystemError& error) {
    return Problem{
        fmt::format("{} (record {})", error.what(), index)};  // It names the file itself.
  }
}

Problem RecordSource::problem(std::size_t index, std::string_view text) const {
  return {FormatError(reader_.locate(index), text).what()};
}

}  // namespace feedrate
