// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/run_journal.h"

#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/report/json.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

std::string read_if_there(const std::filesystem::path& file) {
  try {
    return read_whole_file(file);
  } catch (const SystemError&) {
    // The writer may clear it at any moment.
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown)) throw;
    return {};
  }
}

}  // namespace

void append_to_journal(const std::filesystem::path& journal, const CellResult& cell) {
  append_to_file(journal, start_to_json(cell));
}

void write_begun(const std::filesystem::path& file, const std::vector<std::size_t>& cells) {
  replace_file(file, fmt::format("{}\n", fmt::join(cells, "\n")));
}

std::vector<std::size_t> read_begun(const std::filesystem::path& file) {
  std::vector<std::size_t> cells;
  std::istringstream lines(read_if_there(file));
  for (std::string line; std::getline(lines, line);) {
    const std::optional<std::size_t> cell = parse_number<std::size_t>(line);
    if (!cell) throw FormatError({.file = file.string()}, "is not a list of cells; remove it");
    cells.push_back(*cell);
  }
  return cells;
}

JournalSnapshot::JournalSnapshot(const std::filesystem::path& journal)
    : file_(journal.string()), text_(read_if_there(journal)) {}

void JournalSnapshot::add_to(RunResult& run) const {
  std::size_t number = 1;
  std::size_t begin = 0;
  for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    add_start_from_json(std::string_view(text_).substr(begin, end - begin),
                        fmt::format("{}: line {}", file_, number++), run);
  }
}

}  // namespace feedrate
