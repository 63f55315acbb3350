// SPDX-License-Identifier: Apache-2.0
// Reads records for the data commands: a damaged record is a result, not an exception.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "formats/record_reader.h"

namespace feedrate {

/// Why a record cannot be used; a message that names file and record.
struct Problem {
  std::string text;
};

/// One thread's view of a dataset, which outlives it.
class RecordSource {
 public:
  explicit RecordSource(const RecordReader& reader)
      : reader_(reader), cursor_(reader.open_cursor()) {}

  /// The record is valid until the next call. A missing file is a Problem. Throws SystemError for
  /// any other refusal of the system, which may be temporary. REQUIRES: index <
  /// RecordReader::size()
  [[nodiscard]] std::variant<Record, Problem> read(std::size_t index) const;

  /// Prefixes `text` with file and record.
  [[nodiscard]] Problem problem(std::size_t index, std::string_view text) const;

 private:
  const RecordReader& reader_;
  std::unique_ptr<RecordCursor> cursor_;
};

}  // namespace feedrate
