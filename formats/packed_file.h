// SPDX-License-Identifier: Apache-2.0
// Files of the system, and objects of a server, that records lie in.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/host/file.h"
#include "core/unique_fd.h"
#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/read_options.h"
#include "formats/remote/objects.h"

namespace feedrate {

/// Read by any thread, and in forked processes.
struct PackedFile {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  UniqueFd fd = {};       ///< of a file; without one, each read opens it
  std::string etag = {};  ///< of an object
  ReadOrder order = ReadOrder::kSequential;
  bool is_walked = true;  ///< until prepare(): its headers are read in order
};

/// For when its records are going to be read; what is looked at before is read in order.
void prepare(PackedFile& file, ReadOrder order);

/// The same, and closes the descriptor: for a format with more files than a process may hold open.
void prepare_and_close(PackedFile& file, ReadOrder order);

/// One thread's way to the bytes of packed files, and to what lies beside them. Throws SystemError
/// if the system refuses, ServerError if a server does.
class PackedReads {
 public:
  explicit PackedReads(const ReadOptions& options = {}) : remote_(options.requests_in_flight) {}

  [[nodiscard]] PackedFile open(const std::string& path);
  [[nodiscard]] std::optional<PackedFile> open_if_there(const std::string& path);
  /// False where there is none. The memory of `file` is used again.
  [[nodiscard]] bool open_into(PackedFile& file, const std::string& path);

  /// `size` bytes at `offset`, or fewer where the file ends. Valid until the next call.
  [[nodiscard]] Bytes read(const PackedFile& file, std::uint64_t offset, std::uint64_t size);

  /// The file of one record at `location`. Empty where there is none; throws FormatError if it is
  /// larger than a record may be. Valid until the next call.
  [[nodiscard]] std::optional<Bytes> read_whole(const DataLocation& location);

  /// These bytes are going to be read, in this order; ask() asks storage for them, as far as it
  /// can be. Nothing is done for a file that each read opens.
  void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size);
  void expect_whole(const std::string& path);
  void ask();

 private:
  [[nodiscard]] Bytes read_object(const PackedFile& file, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Bytes read_walked(const PackedFile& file, std::uint64_t offset, std::uint64_t size);

  ReadBuffer buffer_;
  BatchExtents extents_;
  RemoteObjects remote_;
  /// What was read ahead of an object that is walked.
  struct Window {
    std::string path;
    std::uint64_t begin = 0;
    Bytes bytes;
    std::uint64_t next_size = 0;
  } window_;
};

}  // namespace feedrate
