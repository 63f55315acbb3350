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

/// Calls `visit` for every member in order. Throws FormatError naming it and the offset if the
/// file is truncated, damaged, compressed, or no tar file.
void walk_tar(const PackedFile& file, PackedReads& reads,
              const std::function<void(const TarMember&)>& visit);

}  // namespace feedrate
