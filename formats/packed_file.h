// SPDX-License-Identifier: Apache-2.0
// Local files and server objects that hold many records.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/host/file.h"
#include "core/unique_fd.h"
#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/read_options.h"
#include "formats/remote/objects.h"

namespace feedrate {

/// Any thread, and forked processes, may read it.
struct PackedFile {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  UniqueFd fd = {};       ///< of a local file; if closed, each read opens it
  std::string etag = {};  ///< of a server object
  ReadOrder order = ReadOrder::kSequential;
  bool is_walked = true;  ///< until prepare(): headers are read in order
};

/// Switches from reading headers to reading records in `order`.
void prepare(PackedFile& file, ReadOrder order);

/// Does what prepare() does, and closes the descriptor: for formats with more files than a process
/// may open.
void prepare_and_close(PackedFile& file, ReadOrder order);

/// Replaces an index next to a local file as a whole. Does nothing in a read-only folder, since
/// each start then walks the file.
void replace_index(const std::string& index_path, std::string_view bytes);

/// Reads packed files and files next to them. Used by one thread. Throws SystemError if the system
/// refuses, ServerError if a server does.
class PackedReads {
 public:
  explicit PackedReads(const ReadOptions& options = {}) : remote_(options.requests_in_flight) {}

  [[nodiscard]] PackedFile open(const std::string& path);
  [[nodiscard]] std::optional<PackedFile> open_if_there(const std::string& path);
  /// Returns false if there is no such file. Reuses the memory of `file`.
  [[nodiscard]] bool open_into(PackedFile& file, const std::string& path);

  /// `size` bytes at `offset`, or fewer where the file ends. Valid until the next call.
  [[nodiscard]] Bytes read(const PackedFile& file, std::uint64_t offset, std::uint64_t size);

  /// The whole file of one record. Empty if there is none; throws FormatError above
  /// kMaxRecordBytes. Valid until the next call.
  [[nodiscard]] std::optional<Bytes> read_whole(const DataLocation& location);

  /// Announces reads, in this order; ask() then starts those that storage can prefetch. Does
  /// nothing for a file whose descriptor is closed.
  void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size);
  void expect_whole(const std::string& path);
  void ask();

 private:
  [[nodiscard]] Bytes read_object(const PackedFile& file, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Bytes read_walked(const PackedFile& file, std::uint64_t offset, std::uint64_t size);

  ReadBuffer buffer_;
  BatchExtents extents_;
  RemoteObjects remote_;
  /// Bytes read ahead of a walked object.
  struct Window {
    std::string path;
    std::uint64_t begin = 0;
    Bytes bytes;
    std::uint64_t next_size = 0;
  } window_;
};

}  // namespace feedrate
