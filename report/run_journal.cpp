#include "report/run_journal.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "report/durable_file.h"
#include "report/json.h"

namespace feedrate {

void append_to_journal(const std::filesystem::path& journal, const CellResult& cell) {
  append_to_file(journal, start_to_json(cell));
}

JournalSnapshot::JournalSnapshot(const std::filesystem::path& journal) : file_(journal.string()) {
  try {
    text_ = read_whole_file(journal);
  } catch (const SystemError&) {
    // The writer may clear it at any moment, even between a look and the reading.
    std::error_code unknown;
    if (std::filesystem::exists(journal, unknown)) throw;
  }
}

void JournalSnapshot::add_to(RunResult& run) const {
  std::size_t number = 1;
  std::size_t begin = 0;
  for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    add_start_from_json(std::string_view(text_).substr(begin, end - begin),
                        fmt::format("{}: line {}", file_, number++), run);
  }
}

}  // namespace feedrate
