// SPDX-License-Identifier: Apache-2.0
// Pixels of a record, whether stored encoded or raw.
#pragma once
#include <memory>

#include "formats/record.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/resample.h"

namespace feedrate {

/// Has a decoder and the pixels of the last record; each worker needs its own.
class RecordPixels {
 public:
  RecordPixels() : RecordPixels(Decoding::kFast) {}
  explicit RecordPixels(Decoding decoding) : decoder_(make_decoder(decoding)) {}

  /// Returns RGB pixels; repeats gray as the decoder does. They are valid until the next call and
  /// may be changed. Throws FormatError, without location, if the record is damaged.
  [[nodiscard]] Image& decode(const Record& record);
  /// Returns the pixels that `select` picks, as Decoder::decode_part does; they are in image() or
  /// in the record's payload.
  [[nodiscard]] PixelView decode_part(const Record& record, const Select& select);
  [[nodiscard]] Image& image() noexcept { return image_; }
  /// The shape that decode() would give; reads only the header.
  [[nodiscard]] ImageShape shape(const Record& record);
  [[nodiscard]] bool is_cmyk(const Record& record) {
    return record.kind == Payload::kEncoded && decoder_->is_cmyk(record.payload);
  }

 private:
  std::unique_ptr<Decoder> decoder_;
  Image image_;
};

}  // namespace feedrate
