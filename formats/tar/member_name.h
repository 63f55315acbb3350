// SPDX-License-Identifier: Apache-2.0
// WebDataset's naming rule: members whose names agree up to the first dot of the last path
// component are one sample. Pure functions; any thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

struct MemberName {
  std::string_view stem;       ///< "train/000123" of "train/000123.seg.png"
  std::string_view extension;  ///< "seg.png"
};

/// Empty for names that WebDataset ignores: no dot, nothing before it, or a first component like
/// "__meta__".
[[nodiscard]] std::optional<MemberName> split_member_name(std::string_view name) noexcept;

/// Compares without case.
[[nodiscard]] bool is_label_extension(std::string_view extension) noexcept;

/// Converts between keys and stems. A stem has no dots in its last component: "." becomes "%2E" and
/// "%" becomes "%25".
[[nodiscard]] std::string stem_of_key(std::string_view key);
[[nodiscard]] std::string key_of_stem(std::string_view stem);

}  // namespace feedrate
