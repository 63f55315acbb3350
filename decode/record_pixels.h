// The pixels of a record of either kind.
#pragma once
#include <memory>

#include "decode/decoder.h"
#include "formats/record.h"

namespace feedrate {

/// Holds a decoder and the pixels of the last record: one per worker.
class RecordPixels {
 public:
  /// RGB; grey pixels are repeated, as the decoder does. Valid until the next call; may be changed
  /// in place. Throws FormatError, without location, if the record is damaged.
  [[nodiscard]] Image& decode(const Record& record);
  /// The shape decode() would give, from the header alone.
  [[nodiscard]] ImageShape shape(const Record& record);

 private:
  std::unique_ptr<Decoder> decoder_ = make_decoder();
  Image image_;
};

}  // namespace feedrate
