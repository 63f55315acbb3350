// SPDX-License-Identifier: Apache-2.0
#include "formats/packed_file.h"

#include <algorithm>

#include "formats/read_ahead.h"

namespace feedrate {

PackedFile open_packed_file(const std::string& path) {
  return {.path = path, .file = open_regular_file(path)};
}

void prepare(PackedFile& file, ReadOrder order) {
  file.order = order;
  advise(file.file.fd.get(), order);
}

void prepare_and_close(PackedFile& file, ReadOrder order) {
  file.order = order;
  file.file.fd = UniqueFd();
}

void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
            BatchExtents& extents) {
  if (file.file.fd.get() < 0 || offset >= file.file.size) return;
  extents.add(file.file.fd.get(), offset, std::min(size, file.file.size - offset));
}

Bytes PackedReads::read(const PackedFile& file, std::uint64_t offset, std::uint64_t size) {
  const MutableBytes bytes = buffer_.take(size);
  if (file.file.fd.get() >= 0) {
    return bytes.first(read_at(file.file.fd.get(), bytes, offset, file.path));
  }
  const OpenFile opened = open_regular_file(file.path);
  if (file.order == ReadOrder::kRandom) advise(opened.fd.get(), file.order);
  return bytes.first(read_at(opened.fd.get(), bytes, offset, file.path));
}

}  // namespace feedrate
