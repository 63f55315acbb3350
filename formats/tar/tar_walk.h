// SPDX-License-Identifier: Apache-2.0
// The headers of an uncompressed tar file, member by member: ustar, GNU long names, pax. Nothing is
// ever extracted.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "formats/packed_file.h"

namespace feedrate {

struct TarMember {
  std::string name;
  std::uint64_t header = 0;  ///< where its header block begins
  std::uint64_t data = 0;    ///< where its bytes begin
  std::uint64_t size = 0;
  bool is_file = false;  ///< false for links, folders, devices
};

/// Calls `visit` for every member in order. Returns whether zeros mark the end: some writers leave
/// them out, and of a file that was truncated between two members they are missing, too. Throws
/// FormatError naming the file and the offset if it is truncated within a member or a header,
/// damaged, compressed, or no tar file.
bool walk_tar(const PackedFile& file, PackedReads& reads,
              const std::function<void(const TarMember&)>& visit);

}  // namespace feedrate
