// SPDX-License-Identifier: Apache-2.0
// Builds tar files byte by byte, also those that no tool makes.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace feedrate::testing {

inline void set_checksum(std::string& header) {
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char text[8];
  std::snprintf(text, sizeof(text), "%06o", sum);
  header.replace(148, 7, std::string_view(text, 7));
}

inline std::string tar_header(std::string_view name, std::size_t size, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  char octal[12];
  std::snprintf(octal, sizeof(octal), "%011zo", size);
  header.replace(124, 11, octal);
  header[156] = type;
  header.replace(257, 8,
                 std::string_view("ustar\0"
                                  "00",
                                  8));
  set_checksum(header);
  return header;
}

inline std::string tar_member(std::string_view name, std::string_view content, char type = '0') {
  std::string bytes = tar_header(name, content.size(), type) + std::string(content);
  bytes.append((512 - bytes.size() % 512) % 512, '\0');
  return bytes;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace feedrate::testing
