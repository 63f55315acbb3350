// SPDX-License-Identifier: Apache-2.0
// Walks the headers of an uncompressed tar file: ustar, GNU long names, pax. Never extracts
// anything.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "formats/packed_file.h"

namespace feedrate {

struct TarMember {
  std::string name;
  std::uint64_t header = 0;  ///< offset of the header block
  std::uint64_t data = 0;    ///< offset of the content
  std::uint64_t size = 0;
  bool is_file = false;  ///< false for links, folders, devices
};

/// Calls `visit` for every member in order. Returns whether zeros mark the end: they are missing if
/// the writer omitted them or the file was truncated between two members. Throws FormatError naming
/// the file and the offset if the file is truncated elsewhere, damaged, compressed, or no tar file.
bool walk_tar(const PackedFile& file, PackedReads& reads,
              const std::function<void(const TarMember&)>& visit);

}  // namespace feedrate
