// SPDX-License-Identifier: Apache-2.0
// A file that many records lie in, read by pread.
#pragma once
#include <cstdint>
#include <string>

#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/read_options.h"
#include "host/file.h"

namespace feedrate {

/// Read by any thread, and in forked processes.
struct PackedFile {
  std::string path;
  OpenFile file;  ///< without descriptor, each read opens the file
  ReadOrder order = ReadOrder::kSequential;
};

[[nodiscard]] PackedFile open_packed_file(const std::string& path);

/// For when its records are going to be read; what is looked at before is read in order.
void prepare(PackedFile& file, ReadOrder order);

/// The same, and closes the descriptor: for a format with more files than a process may hold open.
void prepare_and_close(PackedFile& file, ReadOrder order);

/// `size` bytes at `offset` are going to be read: what of them the file has is added to `extents`.
/// Nothing is done for a file that each read opens.
void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
            BatchExtents& extents);

/// One thread's way to the bytes of packed files.
class PackedReads {
 public:
  /// `size` bytes at `offset`, or fewer where the file ends. Valid until the next call. Throws
  /// SystemError if the system refuses.
  [[nodiscard]] Bytes read(const PackedFile& file, std::uint64_t offset, std::uint64_t size);

 private:
  ReadBuffer buffer_;
};

}  // namespace feedrate
