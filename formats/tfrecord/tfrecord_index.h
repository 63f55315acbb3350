// SPDX-License-Identifier: Apache-2.0
// Where the records of one TFRecord file lie: found by walking the lengths once, then kept beside
// it in the text that DALI and the Python package tfrecord use, a line "offset size" per record.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/packed_file.h"

namespace feedrate {

/// A frame: what it holds is kFrameHeader further on, and kFrameHeader + kFrameFooter shorter.
struct TfrecordFrame {
  std::uint64_t offset;
  std::uint64_t size;
};

/// Takes the index from "<path>.idx" where that is newer than the file and its frames fill it;
/// otherwise walks the file, checking every length's checksum, and tries to leave an index there,
/// but not on a server. Throws FormatError if the file is damaged, compressed or no TFRecord.
[[nodiscard]] std::vector<TfrecordFrame> open_tfrecord_index(const PackedFile& file,
                                                             PackedReads& reads);

[[nodiscard]] std::string format_tfrecord_index(const std::vector<TfrecordFrame>& frames);
/// Empty if `text` is no index.
[[nodiscard]] std::optional<std::vector<TfrecordFrame>> parse_tfrecord_index(std::string_view text);

}  // namespace feedrate
