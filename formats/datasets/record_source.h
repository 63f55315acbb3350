// SPDX-License-Identifier: Apache-2.0
// Records of a dataset as the data commands take them: a damaged one is a result, not the end.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "formats/record_reader.h"

namespace feedrate {

/// Why a record cannot be used, for people; names file and record.
struct Problem {
  std::string text;
};

/// One thread's view of a dataset, which outlives it.
class RecordSource {
 public:
  explicit RecordSource(const RecordReader& reader)
      : reader_(reader), cursor_(reader.open_cursor()) {}

  /// The record is valid until the next call. A file that is not there is damage of the dataset;
  /// all else that the system refuses may pass, and is thrown: SystemError. REQUIRES: index <
  /// RecordReader::size()
  [[nodiscard]] std::variant<Record, Problem> read(std::size_t index) const;

  /// `text` with file and record before it.
  [[nodiscard]] Problem problem(std::size_t index, std::string_view text) const;

 private:
  const RecordReader& reader_;
  std::unique_ptr<RecordCursor> cursor_;
};

}  // namespace feedrate
