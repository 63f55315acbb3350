// SPDX-License-Identifier: Apache-2.0
// The pixels of a record of either kind.
#pragma once
#include <memory>

#include "formats/record.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/resample.h"

namespace feedrate {

/// Holds a decoder and the pixels of the last record: one per worker.
class RecordPixels {
 public:
  RecordPixels() : RecordPixels(Decoding::kFast) {}
  explicit RecordPixels(Decoding decoding) : decoder_(make_decoder(decoding)) {}

  /// RGB; grey pixels are repeated, as the decoder does. Valid until the next call; may be changed
  /// in place. Throws FormatError, without location, if the record is damaged.
  [[nodiscard]] Image& decode(const Record& record);
  /// Those that `select` picks, as Decoder::decode_part; in image() or in the record's payload.
  [[nodiscard]] PixelView decode_part(const Record& record, const Select& select);
  /// What was decoded last.
  [[nodiscard]] Image& image() noexcept { return image_; }
  /// The shape decode() would give, from the header alone.
  [[nodiscard]] ImageShape shape(const Record& record);
  /// As Decoder::has_inks().
  [[nodiscard]] bool has_inks(const Record& record) {
    return record.kind == Payload::kEncoded && decoder_->has_inks(record.payload);
  }

 private:
  std::unique_ptr<Decoder> decoder_;
  Image image_;
};

}  // namespace feedrate
