// SPDX-License-Identifier: Apache-2.0
// Texts that several data commands print.
#pragma once
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {

inline std::string bytes_text(double bytes) { return format_value(bytes, Unit::kBytes); }

/// The message for RecordReader::left_out().
inline std::string left_out_text(const std::filesystem::path& dataset, const std::string& files) {
  return fmt::format("{}: skipped: {}; records are .jpg, .jpeg and .png files.", dataset.string(),
                     files);
}

/// Prints "3 records skipped:" and the first 20 messages.
inline void list_records(std::ostream& err, std::string_view what,
                         const std::vector<std::string>& messages) {
  constexpr std::size_t kMaxListed = 20;
  if (messages.empty()) return;
  err << count_text(messages.size()) << (messages.size() == 1 ? " record " : " records ") << what
      << ":\n";
  for (std::size_t i = 0; i < messages.size() && i < kMaxListed; ++i) {
    err << "  " << messages[i] << '\n';
  }
  if (messages.size() > kMaxListed) {
    err << "  … and " << count_text(messages.size() - kMaxListed) << " more\n";
  }
}

}  // namespace feedrate
