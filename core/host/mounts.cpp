// SPDX-License-Identifier: Apache-2.0
#include "core/host/mounts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes space, tab, newline and backslash as \ and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 3 < text.size() &&
                           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       text.begin() + static_cast<std::ptrdiff_t>(i) + 4, is_octal);
    if (!is_escape) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

// A line is "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue", with
// any number of optional fields before the dash (proc(5)).
std::optional<Mount> parse_mount(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 4) return std::nullopt;
  return Mount{unescaped(words[3]), unescaped(words[4]), unescaped(dash[1]), unescaped(dash[2]),
               unescaped(dash[3])};
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [folder_end, path_end] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  static_cast<void>(path_end);
  return folder_end == folder.end();
}

}  // namespace

std::vector<Mount> read_mounts(const std::filesystem::path& root) {
  std::vector<Mount> mounts;
  const std::string text = read_text(root / "proc/self/mountinfo").value_or("");
  for (const std::string_view line : split_lines(text)) {
    if (auto mount = parse_mount(line)) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

const Mount* find_mount(const std::vector<Mount>& mounts, const std::filesystem::path& path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    if (!lies_below(path, mount.point)) continue;
    if (best == nullptr || mount.point.size() >= best->point.size()) best = &mount;
  }
  return best;
}

}  // namespace feedrate
