#include "formats/hdf5/hdf5_heap.h"

#include <array>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/load.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

constexpr std::size_t kCollectionHeader = 16;
constexpr std::size_t kObjectHeader = 16;
constexpr std::string_view kCollection{"GCOL\1", 5};  // Signature and version.
/// An object's number has 16 bits; number 0 is the free space behind the last object.
constexpr int kMostObjects = 65535;

struct ObjectHeader {
  std::uint16_t number;
  std::uint64_t size;
};

ObjectHeader parse_object(Bytes header) noexcept {
  return {load<std::uint16_t>(header, 0), load<std::uint64_t>(header, 8)};
}

// Objects begin at multiples of 8.
std::uint64_t padded(std::uint64_t size) noexcept { return (size + 7) / 8 * 8; }

struct NextObject {
  std::uint32_t number;
  std::uint64_t address;
};

bool fits(std::uint64_t offset, std::uint64_t size, std::uint64_t end) noexcept {
  return size <= end && offset <= end - size;
}

}  // namespace

std::vector<HeapReference> read_heap_references(Hdf5Elements& dataset, std::size_t count) {
  std::vector<HeapReference> references;
  references.reserve(count);
  std::unordered_map<std::uint64_t, NextObject> next;  // By collection.
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes bytes = dataset.read(i);
    HeapReference reference{.collection = load<std::uint64_t>(bytes, 4),
                            .size = load<std::uint32_t>(bytes, 0),
                            .object = load<std::uint32_t>(bytes, 12)};
    NextObject& expected = next.try_emplace(reference.collection,
                                            NextObject{1, reference.collection + kCollectionHeader})
                               .first->second;
    if (reference.object == expected.number) {
      reference.expected = expected.address;
      ++expected.number;
      expected.address += kObjectHeader + padded(reference.size);
    }
    references.push_back(reference);
  }
  return references;
}

Bytes HeapValues::read(std::size_t index) {
  const HeapReference& wanted = references_[index];
  if (wanted.size == 0) {
    throw FormatError({.file = file_.path, .record = index}, "is empty; an image would be right");
  }
  if (wanted.size > kMaxRecordBytes) {
    require_plausible_size(wanted.size, {.file = file_.path, .record = index});
  }
  const Bytes found = wanted.expected == 0 ? Bytes() : object_at(wanted.expected, wanted, index);
  return found.empty() ? search(wanted, index) : found;
}

void HeapValues::expect(std::size_t index, BatchExtents& extents) const {
  const HeapReference& wanted = references_[index];
  if (wanted.expected == 0) return;
  feedrate::expect(file_, wanted.expected, kObjectHeader + std::uint64_t{wanted.size}, extents);
}

// Header and value by one call; empty if another object lies there.
Bytes HeapValues::object_at(std::uint64_t offset, const HeapReference& wanted, std::size_t index) {
  const std::uint64_t size = kObjectHeader + std::uint64_t{wanted.size};
  if (!fits(offset, size, file_.file.size)) return {};
  const Bytes bytes = reads_.read(file_, offset, size, index);
  if (bytes.size() < size) return {};
  const ObjectHeader header = parse_object(bytes);
  if (header.number != wanted.object || header.size != wanted.size) return {};
  return bytes.subspan(kObjectHeader);
}

// From object to object, as HDF5 does.
Bytes HeapValues::search(const HeapReference& wanted, std::size_t index) {
  const auto fail = [&](std::string_view problem) {
    throw FormatError({.file = file_.path, .record = index, .offset = wanted.collection}, problem);
  };
  std::array<std::byte, kCollectionHeader> header;
  const auto read_header = [&](std::uint64_t offset) {
    return read_at(file_.file.fd.get(), header, offset, file_.path) == header.size();
  };
  if (!fits(wanted.collection, kCollectionHeader, file_.file.size) ||
      !read_header(wanted.collection) ||
      std::memcmp(header.data(), kCollection.data(), kCollection.size()) != 0) {
    fail("there is no heap of HDF5 where the record shall lie; the file is damaged");
  }
  const auto size = load<std::uint64_t>(header, 8);
  if (!fits(wanted.collection, size, file_.file.size)) {
    fail(fmt::format("a heap of {} bytes does not fit in the file of {}", size, file_.file.size));
  }
  const std::uint64_t end = wanted.collection + size;
  std::uint64_t at = wanted.collection + kCollectionHeader;
  for (int i = 0; i < kMostObjects && fits(at, kObjectHeader, end) && read_header(at); ++i) {
    const ObjectHeader object = parse_object(header);
    if (object.number == 0 || object.size > end - at - kObjectHeader) break;
    if (object.number == wanted.object) {
      const Bytes found = object_at(at, wanted, index);
      if (found.empty()) {
        fail(fmt::format("the record has {} bytes in its heap, but its reference says {}",
                         object.size, wanted.size));
      }
      return found;
    }
    at += kObjectHeader + padded(object.size);
  }
  fail(fmt::format("the heap of the record has no object {}; the file is damaged", wanted.object));
  return {};
}

}  // namespace feedrate
