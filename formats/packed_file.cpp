#include "formats/packed_file.h"

#include <algorithm>

namespace feedrate {
namespace {

Bytes read_mapped(const WatchedMapping& mapping, std::uint64_t offset, std::uint64_t size,
                  LengthCheck& length, std::optional<std::uint64_t> record) {
  if (length.is_due()) mapping.check_length(record);
  const Bytes bytes = mapping.bytes();
  if (offset >= bytes.size()) return {};
  const Bytes part = bytes.subspan(offset, std::min(size, bytes.size() - offset));
  mapping.bring_in(part, record);
  return part;
}

}  // namespace

PackedFile open_packed_file(const std::string& path) {
  return {.path = path, .file = open_regular_file(path)};
}

void prepare(PackedFile& file, const ReadOptions& options) {
  file.order = options.order;
  advise(file.file.fd.get(), options.order);
  if (options.files == FileReads::kMmap) {
    file.mapped = std::make_unique<MappedFile>(file.file, file.path, options);
  }
}

void prepare_and_close(PackedFile& file, const ReadOptions& options) {
  prepare(file, options);
  if (file.mapped) file.mapped->forget_descriptor();
  file.file.fd = UniqueFd();
}

void expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
            BatchExtents& extents) {
  if (offset >= file.file.size) return;
  size = std::min(size, file.file.size - offset);
  if (file.file.fd.get() >= 0) {
    extents.add(file.file.fd.get(), offset, size);
  } else if (file.mapped) {
    const WatchedMapping& mapping = file.mapped->mapping();
    mapping.ask_for(mapping.bytes().subspan(offset, size));
  }
}

Bytes PackedReads::read(const PackedFile& file, std::uint64_t offset, std::uint64_t size,
                        std::optional<std::uint64_t> record) {
  if (file.mapped) return read_mapped(file.mapped->mapping(), offset, size, length_, record);
  const MutableBytes bytes = buffer_.take(size);
  if (file.file.fd.get() >= 0) {
    return bytes.first(read_at(file.file.fd.get(), bytes, offset, file.path));
  }
  const OpenFile opened = open_regular_file(file.path);
  if (file.order == ReadOrder::kRandom) advise(opened.fd.get(), file.order);
  return bytes.first(read_at(opened.fd.get(), bytes, offset, file.path));
}

}  // namespace feedrate
