// SPDX-License-Identifier: Apache-2.0
// Reads datasets: a RecordReader is the open dataset, a RecordCursor one thread's access to it.
// They are two types because LMDB transactions and HDF5 handles belong to one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "formats/record.h"

namespace feedrate {

/// Used by one thread; each worker opens its own.
class RecordCursor {
 public:
  virtual ~RecordCursor() = default;

  /// Reads record `index` from storage. The record is valid until the next read() or the end of the
  /// cursor. REQUIRES: index < RecordReader::size()
  /// Throws FormatError naming file, record and offset if the record is damaged, SystemError if the
  /// system refuses.
  [[nodiscard]] virtual Record read(std::size_t index) = 0;

  /// Announces the next records, so that storage may work on all of them at once. Does not wait,
  /// and leaves errors to read(). Does nothing by default. REQUIRES: each is below
  /// RecordReader::size()
  virtual void expect(std::span<const std::uint64_t> /*indices*/) {}
};

/// Const methods may be called from any thread without locking. Outlives its cursors.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The format's name in the registry: "folder", "hdf5-decoded".
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  [[nodiscard]] virtual Payload payload() const noexcept = 0;
  /// Names of the classes by label; empty if the dataset has none.
  [[nodiscard]] virtual const std::vector<std::string>& class_names() const noexcept = 0;
  /// The files that hold the data, for the cold cache and the report.
  [[nodiscard]] virtual std::vector<std::filesystem::path> files() const = 0;
  /// The location of record `index`, for messages. REQUIRES: index < size()
  [[nodiscard]] virtual DataLocation locate(std::size_t index) const = 0;
  /// The storage layout, for messages: "3 shards of tar", "chunks of 1×32×32×3".
  [[nodiscard]] virtual std::string layout() const = 0;
  /// Images in the dataset's folder that are no records, for messages: "25 .webp", "2 files that
  /// labels.csv does not list". Empty if none.
  [[nodiscard]] virtual std::string left_out() const { return {}; }

  [[nodiscard]] virtual std::unique_ptr<RecordCursor> open_cursor() const = 0;
};

}  // namespace feedrate
