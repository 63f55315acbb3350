// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/lmdb/lmdb_database.h"
#include "formats/load.h"

namespace feedrate {
namespace {

// LMDB's own names and numbers (mdb.c, data version 1). Files have the machine's byte order.
constexpr std::uint32_t kMetaMagic = 0xBEEFC0DE;
constexpr std::uint32_t kDataVersion = 1;
constexpr std::uint16_t kMetaPage = 0x08;
constexpr std::uint64_t kNodeHeader = 8;

struct PageHeader {
  std::uint64_t number;
  std::uint16_t pad;
  std::uint16_t flags;
  std::uint16_t lower;
  std::uint16_t upper;
};
static_assert(sizeof(PageHeader) == 16);

struct Database {
  std::uint32_t pad;  // in the first database: the page size
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branch_pages, leaf_pages, overflow_pages, entries;
  std::uint64_t root;
};

struct Meta {
  std::uint32_t magic, version;
  std::uint64_t address, map_size;
  Database free, main;
  std::uint64_t last_page;
  std::uint64_t transaction;
};
static_assert(sizeof(Meta) == 136);

[[noreturn]] void fail_meta(const std::string& path, std::uint64_t offset,
                            std::string_view problem) {
  throw FormatError({.file = path, .offset = offset}, problem);
}

Meta read_meta(const OpenFile& file, const std::string& path, std::uint64_t offset) {
  std::array<std::byte, sizeof(PageHeader) + sizeof(Meta)> bytes{};
  if (read_at(file.fd.get(), bytes, offset, path) < bytes.size()) {
    fail_meta(path, offset,
              "the file ends inside a meta page; it is truncated or not an LMDB database");
  }
  const auto meta = load<Meta>(bytes, sizeof(PageHeader));
  if ((load<PageHeader>(bytes, 0).flags & kMetaPage) == 0 || meta.magic != kMetaMagic) {
    fail_meta(path, offset, "is not an LMDB database, or its meta page is damaged");
  }
  if (meta.version != kDataVersion) {
    fail_meta(path, offset,
              fmt::format("has LMDB data version {}; must be {}", meta.version, kDataVersion));
  }
  return meta;
}

}  // namespace

void check_lmdb_meta(const OpenFile& file, const std::string& path) {
  const Meta first = read_meta(file, path, 0);
  const std::uint64_t page_size = first.free.pad;
  if (!std::has_single_bit(page_size) || page_size < 512 || page_size > 65536) {
    fail_meta(
        path, 0,
        fmt::format("has pages of {} bytes; must be a power of two from 512 to 65536", page_size));
  }
  const Meta second = read_meta(file, path, page_size);
  if (second.free.pad != page_size)
    fail_meta(path, page_size, "the two meta pages have different page sizes");
  const Meta& newer = second.transaction > first.transaction ? second : first;
  if (newer.last_page >= file.size / page_size) {
    fail_meta(path, file.size,
              fmt::format("the file is truncated: it should have {} pages of {} bytes",
                          newer.last_page + 1, page_size));
  }
  if (newer.main.entries > file.size / kNodeHeader) {
    fail_meta(
        path, 0,
        fmt::format("{} entries do not fit in a file of {} bytes", newer.main.entries, file.size));
  }
}

}  // namespace feedrate
