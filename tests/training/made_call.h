// SPDX-License-Identifier: Apache-2.0
// Makes calls, as the script's process sends them, from marked text.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "training/messages.h"

namespace feedrate::testing {

/// "DataLoader(data, num_workers=«2»‹, ›)": « » mark the values of keyword arguments, and ‹ ›
/// the separator before an inserted argument.
inline ScriptCall made_call(std::string_view marked) {
  constexpr std::string_view kBegin = "«", kEnd = "»", kInsert = "‹", kInserted = "›";
  ScriptCall call;
  std::optional<std::size_t> separator;
  while (!marked.empty()) {
    const auto take = [&](std::string_view mark) {
      const bool has = marked.starts_with(mark);
      if (has) marked.remove_prefix(mark.size());
      return has;
    };
    std::string& text = call.text;
    if (take(kBegin)) {
      std::size_t end = text.find_last_not_of("( \n");
      end = text.find_last_not_of(" \n", text.rfind('=', end) - 1);
      const std::size_t before = text.find_last_of("(, \n", end);
      call.arguments.push_back({text.substr(before + 1, end - before), text.size(), 0});
    } else if (take(kEnd)) {
      call.arguments.back().end = text.size();
    } else if (take(kInsert)) {
      separator = call.insert = text.size();
    } else if (take(kInserted)) {
      call.separator = text.substr(*separator);
      text.erase(*separator);
    } else {
      text += marked.front();
      marked.remove_prefix(1);
    }
  }
  return call;
}

}  // namespace feedrate::testing
