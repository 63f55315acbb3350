// SPDX-License-Identifier: Apache-2.0
// feedrate explain: what a word of feedrate's output means, from what the documentation is made of
// too.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

/// Columns, knobs, terms of the glossary, and fields of the JSON documents, by their descriptions
/// in docs/schemas. Throws ConfigError that names the closest where a word is none of them.
[[nodiscard]] int run_explain(const std::vector<std::string>& words, Console& console);

/// A part of docs/glossary.md or of a file in docs/schemas; a long file has several, one after the
/// other.
struct ExplainedFile {
  std::string_view path;
  std::string_view text;
};

[[nodiscard]] std::span<const ExplainedFile> explained_files();

}  // namespace feedrate
