// SPDX-License-Identifier: Apache-2.0
// The images that are read, decoded and transformed: those of `feedrate data make`, made when they
// are asked for.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "formats/datasets/owned_record.h"

namespace feedrate {

enum class Picture { kSmallPng, kLargeJpeg, kLargePng, kHugeJpeg };

/// "32x32 PNG", "500x375 JPEG"
[[nodiscard]] const char* to_string(Picture picture) noexcept;

/// So many that no core remembers their bits: of one image again and again a core foretells every
/// branch, and decodes up to twice as fast.
struct PictureCounts {
  std::size_t small = 256;
  std::size_t large = 32;
  std::size_t huge = 2;
};

struct PictureSet {
  std::vector<OwnedRecord> records;
  std::vector<std::string> class_names;
};

/// Any thread. Lends what it makes as long as it lives.
class Pictures {
 public:
  explicit Pictures(PictureCounts counts) : counts_(counts) {}
  [[nodiscard]] const PictureSet& of(Picture picture);

 private:
  [[nodiscard]] PictureSet make(Picture picture) const;

  PictureCounts counts_;
  std::mutex mutex_;
  std::map<Picture, PictureSet> sets_;  // Guarded by mutex_; an entry stays as it is.
};

/// The same image as a record of pixels.
[[nodiscard]] OwnedRecord as_pixels(const OwnedRecord& encoded);

/// Bytes of a record, on average.
[[nodiscard]] double mean_bytes(const std::vector<OwnedRecord>& records);

}  // namespace feedrate
