// SPDX-License-Identifier: Apache-2.0
// Edits calls of DataLoader: reads a line of JSON, {"loader": from a script, "settings": the
// changes}, and prints a line.
#include <iostream>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "training/call_edit.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

ScriptLoader with_settings(ScriptLoader loader, const Json& settings) {
  loader.num_workers = settings.at("num_workers");
  const Json prefetch = settings.at("prefetch_factor");
  loader.prefetch_factor =
      prefetch.is_null() ? std::nullopt : std::optional(prefetch.get<std::size_t>());
  loader.pin_memory = settings.at("pin_memory");
  loader.persistent_workers = settings.at("persistent_workers");
  return loader;
}

Json answer(const Json& question) {
  const auto from = std::get<ScriptLoader>(parse_script_message(question.at("loader").dump()));
  const ScriptLoader to = with_settings(from, question.at("settings"));
  const CallEdit edit = edit_call(from, argument_changes(from, to));
  Json open = Json::array();
  for (const ArgumentChange& change : edit.open) open.push_back(change.name);
  return {{"text", edit.text}, {"open", open}, {"lines", change_lines(from, to)}};
}

}  // namespace
}  // namespace feedrate

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << feedrate::answer(nlohmann::json::parse(line)).dump() << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
