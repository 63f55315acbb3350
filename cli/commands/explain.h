// SPDX-License-Identifier: Apache-2.0
// feedrate explain: explains a word of feedrate's output from the sources of the documentation.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

/// Explains columns, knobs, terms of the glossary, and fields of the JSON documents (docs/schemas).
/// Throws ConfigError with the closest word for an unknown one.
[[nodiscard]] int run_explain(const std::vector<std::string>& words, Console& console);

/// A part of docs/glossary.md or of a file in docs/schemas; a long file is split into consecutive
/// elements.
struct ExplainedFile {
  std::string_view path;
  std::string_view text;
};

[[nodiscard]] std::span<const ExplainedFile> explained_files();

}  // namespace feedrate
