// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/config.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/carried_files.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

std::string first_sentence(std::string_view text) {
  for (const std::string_view begin :
       {"# SPDX-License-Identifier: Apache-2.0\n", "\"\"\"", "#", " "}) {
    if (text.starts_with(begin)) text.remove_prefix(begin.size());
  }
  std::string sentence(text.substr(0, text.find('\n')));
  sentence.erase(std::min(sentence.find("\"\"\""), sentence.size()));
  return sentence;
}

void list_configs(std::ostream& out) {
  TextTable table;
  table.add_column("name", Align::kLeft);
  table.add_column("about", Align::kLeft);
  for (const std::string& name : carried_names(carried_configs())) {
    table.add_row({name, first_sentence(find_carried(carried_configs(), name, "configuration"))});
  }
  table.print(out, TableStyle::kTerminal);
}

void write_new(const std::filesystem::path& path, const std::string& text) {
  if (std::filesystem::exists(path)) {
    throw ConfigError(
        fmt::format("{}: already exists; choose another file with --out", path.string()));
  }
  replace_file(path, text);
}

}  // namespace

int run_config(const ConfigOptions& options, Console& console) {
  if (options.name.empty()) {
    list_configs(console.out);
    return kExitOk;
  }
  const std::string text = find_carried(carried_configs(), options.name, "configuration");
  if (options.out.empty()) {
    console.out << text;
  } else {
    write_new(options.out, text);
  }
  return kExitOk;
}

}  // namespace feedrate
