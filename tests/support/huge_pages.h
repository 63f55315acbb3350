// SPDX-License-Identifier: Apache-2.0
// Reads memory flags from /proc/self/smaps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

namespace feedrate::testing {

/// Whether huge pages were requested for the mapping of `data`. Empty if the kernel has none or
/// hides its flags.
inline std::optional<bool> asks_for_huge_pages(const std::byte* data) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_here = begin <= address && address < end;
    } else if (is_here && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return std::nullopt;
}

}  // namespace feedrate::testing
