// SPDX-License-Identifier: Apache-2.0
// Keys, the names of records. Conversions keep them, so that two copies of a dataset can be
// compared record by record.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace feedrate {

/// Whether `path` stays inside its folder: not absolute, no empty part, no "." or "..", no NUL.
[[nodiscard]] bool is_safe_relative_path(std::string_view path) noexcept;

/// Compares ASCII letters without case. REQUIRES: `lower` is lower case
[[nodiscard]] bool equal_ignoring_case(std::string_view text, std::string_view lower) noexcept;

/// `name` without its extension .jpg, .jpeg or .png (any case); empty if it has none of these or
/// nothing before it.
[[nodiscard]] std::optional<std::string_view> image_stem(std::string_view name) noexcept;

/// `name` without `extension`; empty if it has another one or nothing before it.
[[nodiscard]] std::optional<std::string_view> stem_before(std::string_view name,
                                                          std::string_view extension) noexcept;

/// Replaces keys that several records share by full names, until all keys differ. Returns a record
/// whose full name is taken too, if there is one.
[[nodiscard]] std::optional<std::size_t> make_keys_unique(
    std::vector<std::string>& keys, const std::function<std::string(std::size_t)>& full_name);

/// The keys of the records written to one dataset. Used by one thread.
class WrittenKeys {
 public:
  /// Throws FormatError, naming `path`, if `key` is empty or was added before.
  void add(std::string_view key, const std::string& path);

 private:
  std::unordered_set<std::string> seen_;
};

}  // namespace feedrate
