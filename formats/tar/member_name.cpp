// SPDX-License-Identifier: Apache-2.0
#include "formats/tar/member_name.h"

#include "formats/keys.h"

namespace feedrate {
namespace {

std::size_t base_of(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

}  // namespace

std::optional<MemberName> split_member_name(std::string_view name) noexcept {
  while (name.starts_with("./")) name.remove_prefix(2);
  const std::size_t base = base_of(name);
  const std::size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot == base) return std::nullopt;
  const std::string_view first = name.substr(0, name.find('/'));
  if (first.size() >= 4 && first.starts_with("__") && first.ends_with("__")) return std::nullopt;
  return MemberName{name.substr(0, dot), name.substr(dot + 1)};
}

bool is_label_extension(std::string_view extension) noexcept {
  return equal_ignoring_case(extension, "cls");
}

std::string stem_of_key(std::string_view key) {
  const std::size_t base = base_of(key);
  std::string stem(key.substr(0, base));
  for (const char c : key.substr(base)) {
    if (c == '.') {
      stem += "%2E";
    } else if (c == '%') {
      stem += "%25";
    } else {
      stem += c;
    }
  }
  return stem;
}

std::string key_of_stem(std::string_view stem) {
  const std::size_t base = base_of(stem);
  std::string key(stem.substr(0, base));
  for (std::size_t i = base; i < stem.size(); ++i) {
    const std::string_view code = stem.substr(i, 3);
    if (code == "%2E" || code == "%25") {
      key += code == "%2E" ? '.' : '%';
      i += 2;
    } else {
      key += stem[i];
    }
  }
  return key;
}

}  // namespace feedrate
