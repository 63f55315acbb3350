// SPDX-License-Identifier: Apache-2.0
// The index of a TFRecord file: made by walking the lengths once, then saved next to the file in
// the text format of DALI and the Python package tfrecord, a line "offset size" per record.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/packed_file.h"

namespace feedrate {

/// A frame: the record begins at offset + kFrameHeader and ends kFrameFooter before the frame does.
struct TfrecordFrame {
  std::uint64_t offset;
  std::uint64_t size;
};

/// Loads "<path>.idx" if it is newer than the file and its frames fill the file. Otherwise walks
/// the file, checking the lengths' checksums, and tries to save an index, but not on a server.
/// Throws FormatError if the file is damaged, compressed or no TFRecord.
[[nodiscard]] std::vector<TfrecordFrame> open_tfrecord_index(const PackedFile& file,
                                                             PackedReads& reads);

[[nodiscard]] std::string format_tfrecord_index(const std::vector<TfrecordFrame>& frames);
/// Empty if `text` is no index.
[[nodiscard]] std::optional<std::vector<TfrecordFrame>> parse_tfrecord_index(std::string_view text);

}  // namespace feedrate
