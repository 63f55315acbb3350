// SPDX-License-Identifier: Apache-2.0
#include "training/text_edit.h"

#include <algorithm>
#include <utility>

namespace feedrate {
namespace {

std::string apply_within(const std::string& text, const std::vector<TextEdit>& edits,
                         std::size_t begin, std::size_t end) {
  std::string result;
  std::size_t at = begin;
  for (const TextEdit& edit : edits) {
    if (edit.begin < begin || edit.begin > end || edit.end > end) continue;
    result += text.substr(at, edit.begin - at) + edit.text;
    at = edit.end;
  }
  return result + text.substr(at, end - at);
}

}  // namespace

std::size_t begin_of_line(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return before == std::string::npos ? 0 : before + 1;
}

std::size_t end_of_line(const std::string& text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits) {
  return apply_within(text, edits, 0, text.size());
}

std::vector<ChangedLines> changed_lines(const std::string& text,
                                        const std::vector<TextEdit>& edits) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (const TextEdit& edit : edits) {
    const bool has_end = edit.end > edit.begin && text[edit.end - 1] == '\n';
    const std::size_t begin = begin_of_line(text, edit.begin);
    const std::size_t end = has_end ? edit.end : end_of_line(text, edit.end);
    if (!runs.empty() && begin < runs.back().second) {
      runs.back().second = std::max(runs.back().second, end);
    } else {
      runs.emplace_back(begin, end);
    }
  }
  std::vector<ChangedLines> all;
  for (const auto& [begin, end] : runs) {
    std::string before = text.substr(begin, end - begin);
    std::string after = apply_within(text, edits, begin, end);
    ChangedLines& run = all.emplace_back();
    run.line = static_cast<std::size_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    const bool is_gone = after.empty();
    if (before.ends_with('\n')) before.pop_back();
    if (after.ends_with('\n')) after.pop_back();
    run.before = before;
    if (!is_gone) run.after = after;
  }
  return all;
}

}  // namespace feedrate
