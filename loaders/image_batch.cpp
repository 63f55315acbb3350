// SPDX-License-Identifier: Apache-2.0
#include "loaders/image_batch.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace feedrate {
namespace {

struct Header {
  std::uint64_t size;
  ImagePlan plan;
};

}  // namespace

std::size_t batched_bytes(std::size_t size) noexcept {
  constexpr std::size_t kAlign = alignof(Header);
  return sizeof(Header) + (size + kAlign - 1) / kAlign * kAlign;
}

std::size_t append_image(MutableBytes out, const ImagePlan& plan, Bytes image) {
  const Header header{image.size(), plan};
  std::memcpy(out.data(), &header, sizeof(header));
  std::copy(image.begin(), image.end(), out.begin() + sizeof(header));
  return batched_bytes(image.size());
}

std::vector<BatchedImage> images_of(Bytes batch) {
  std::vector<BatchedImage> images;
  for (std::size_t at = 0; at < batch.size();) {
    Header header{};
    std::memcpy(&header, batch.data() + at, sizeof(header));
    images.push_back({header.plan, at + sizeof(header), header.size});
    at += batched_bytes(header.size);
  }
  return images;
}

}  // namespace feedrate
