// SPDX-License-Identifier: Apache-2.0
// The images that the benchmarks read, decode and transform: those of `feedrate data make`, made on
// first use.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "formats/datasets/owned_record.h"

namespace feedrate {

enum class Picture { kSmallPng, kLargeJpeg, kLargePng, kHugeJpeg };

/// Returns "32x32 PNG", "500x375 JPEG".
[[nodiscard]] const char* to_string(Picture picture) noexcept;

/// Numbers of images, large enough that no core remembers them: when decoding one image repeatedly,
/// a core predicts every branch and decodes up to twice as fast.
struct PictureCounts {
  std::size_t small = 256;
  std::size_t large = 32;
  std::size_t huge = 2;
};

struct PictureSet {
  std::vector<OwnedRecord> records;
  std::vector<std::string> class_names;
};

/// Safe from any thread. Owns the sets that it returns.
class Pictures {
 public:
  explicit Pictures(PictureCounts counts) : counts_(counts) {}
  [[nodiscard]] const PictureSet& of(Picture picture);

 private:
  [[nodiscard]] PictureSet make(Picture picture) const;

  PictureCounts counts_;
  std::mutex mutex_;
  std::map<Picture, PictureSet> sets_;  // Guarded by mutex_; entries are never changed.
};

[[nodiscard]] OwnedRecord as_pixels(const OwnedRecord& encoded);

[[nodiscard]] double mean_bytes(const std::vector<OwnedRecord>& records);

}  // namespace feedrate
