// A file that many records lie in, and how their bytes come out of it: by pread or out of a
// mapping.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/file.h"
#include "formats/mapped_file.h"
#include "formats/read_options.h"

namespace feedrate {

/// Read by any thread, and in forked processes.
struct PackedFile {
  std::string path;
  OpenFile file;  ///< without descriptor, each pread opens the file
  ReadOrder order = ReadOrder::kSequential;
  std::unique_ptr<MappedFile> mapped = nullptr;  ///< null: by pread
};

[[nodiscard]] PackedFile open_packed_file(const std::string& path);

/// For when its records are going to be read; what is looked at before is read in order. Throws
/// SystemError if the file cannot be mapped.
void prepare(PackedFile& file, const ReadOptions& options);

/// The same, and closes the descriptor: for a format with more files than a process may hold open.
void prepare_and_close(PackedFile& file, const ReadOptions& options);

/// `size` bytes at `offset` are going to be read: what of them the file has is added to `extents`,
/// or asked for at once where only a mapping is there. Nothing is done for a file that each pread
/// opens.
void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
            BatchExtents& extents);

/// One thread's way to the bytes of packed files.
class PackedReads {
 public:
  /// `size` bytes at `offset`, or fewer where the file ends. Valid until the next call. Throws
  /// SystemError if the system refuses, FormatError if a mapped file became shorter; `record` is
  /// for its message.
  [[nodiscard]] Bytes read(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
                           std::optional<std::uint64_t> record);

 private:
  ReadBuffer buffer_;
  LengthCheck length_;
};

}  // namespace feedrate
