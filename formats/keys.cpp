// SPDX-License-Identifier: Apache-2.0
#include "formats/keys.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

bool is_safe_part(std::string_view part) noexcept {
  return !part.empty() && part != "." && part != "..";
}

std::vector<std::size_t> sharing_a_key(const std::vector<std::string>& keys) {
  std::unordered_map<std::string_view, std::size_t> first;
  first.reserve(keys.size());
  std::vector<std::size_t> sharing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [found, fresh] = first.emplace(keys[i], i);
    if (fresh) continue;
    sharing.push_back(found->second);
    sharing.push_back(i);
  }
  return sharing;
}

}  // namespace

bool equal_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_safe_relative_path(std::string_view path) noexcept {
  if (path.find('\0') != std::string_view::npos) return false;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    if (!is_safe_part(path.substr(0, slash))) return false;
    path.remove_prefix(slash + 1);
  }
  return is_safe_part(path);
}

std::optional<std::string_view> image_stem(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 3> kExtensions{".jpg", ".jpeg", ".png"};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return std::nullopt;
  const bool known = std::any_of(kExtensions.begin(), kExtensions.end(), [&](std::string_view e) {
    return equal_ignoring_case(name.substr(dot), e);
  });
  return known ? std::optional(name.substr(0, dot)) : std::nullopt;
}

std::optional<std::string_view> stem_before(std::string_view name,
                                            std::string_view extension) noexcept {
  if (!name.ends_with(extension)) return std::nullopt;
  name.remove_suffix(extension.size());
  if (name.empty() || name.ends_with('/')) return std::nullopt;
  return name;
}

std::optional<std::size_t> make_keys_unique(
    std::vector<std::string>& keys, const std::function<std::string(std::size_t)>& full_name) {
  std::vector<bool> is_full(keys.size());
  // Repeat, because a full name may equal another record's short key. It ends: every round makes at
  // least one more key full.
  for (;;) {
    const std::vector<std::size_t> sharing = sharing_a_key(keys);
    if (sharing.empty()) return std::nullopt;
    bool changed = false;
    for (const std::size_t i : sharing) {
      if (is_full[i]) continue;
      keys[i] = full_name(i);
      is_full[i] = true;
      changed = true;
    }
    if (!changed) return sharing.back();
  }
}

void WrittenKeys::add(std::string_view key, const std::string& path) {
  if (key.empty()) throw FormatError({.file = path}, "a record has an empty key");
  if (seen_.emplace(key).second) return;
  throw FormatError({.file = path},
                    fmt::format("two records have the key \"{}\"; keys must differ", key));
}

}  // namespace feedrate
