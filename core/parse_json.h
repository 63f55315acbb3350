// SPDX-License-Identifier: Apache-2.0
// The only parser of whole JSON texts from outside: files, messages, values in databases. Pure; any
// thread. A template, so that this header depends on no library.
#pragma once
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/json_depth.h"

namespace feedrate {

/// `Json` is nlohmann::json or ordered_json. Throws FormatError beginning with `source` if `text`
/// is no JSON, has a number that no double holds, or is nested deeper than kDeepestJson: copying,
/// writing and comparing are recursive.
template <typename Json>
[[nodiscard]] Json parse_json(std::string_view text, const std::string& source) {
  if (is_nested_deeper(text)) {
    throw FormatError({.file = source},
                      fmt::format("JSON is nested more than {} deep", kDeepestJson));
  }
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& error) {
    throw FormatError({.file = source, .offset = error.byte}, error.what());
  } catch (const typename Json::exception& error) {
    throw FormatError({.file = source}, error.what());
  }
}

}  // namespace feedrate
