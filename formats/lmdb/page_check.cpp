#include "formats/lmdb/page_check.h"

#include <bit>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/load.h"

namespace feedrate {
namespace {

// LMDB's own names and numbers (mdb.c, data version 1). Files are of the machine's byte order.
static_assert(std::endian::native == std::endian::little, "node fields are in another order");
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint16_t kBranchPage = 0x01, kLeafPage = 0x02, kMetaPage = 0x08, kDirtyPage = 0x10;
constexpr std::uint16_t kBigData = 0x01, kDuplicates = 0x04;
constexpr std::uint16_t kReverseKey = 0x02;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::size_t kPageHeader = 16, kNodeHeader = 8;
constexpr std::size_t kMaxDepth = 32;

struct PageHeader {
  std::uint64_t number;
  std::uint16_t pad;
  std::uint16_t flags;
  std::uint16_t lower;
  std::uint16_t upper;
};
static_assert(sizeof(PageHeader) == kPageHeader);

struct Database {
  std::uint32_t pad;  // of the first database: the size of a page
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

struct Node {
  std::uint16_t low, high, flags, key_size;
};
static_assert(sizeof(Node) == kNodeHeader);

class PageCheck {
 public:
  PageCheck(const OpenFile& file, const std::string& path) : file_(file), path_(path) {}

  std::uint64_t run() {
    Meta meta = read_meta(0);
    page_size_ = meta.free.pad;
    if (!std::has_single_bit(page_size_) || page_size_ < 512 || page_size_ > 65536) {
      fail(0, fmt::format("pages of {} bytes", page_size_));
    }
    const Meta second = read_meta(page_size_);
    if (second.free.pad != page_size_) fail(page_size_, "the two meta pages disagree");
    if (second.transaction > meta.transaction) meta = second;
    pages_ = meta.last_page + 1;
    if (meta.last_page >= file_.size / page_size_) {
      fail(file_.size, fmt::format("the file is truncated: it should have {} pages of {} bytes",
                                   meta.last_page + 1, page_size_));
    }
    if ((meta.main.flags & ~kReverseKey) != 0) {
      fail(0,
           "has duplicate or integer keys (MDB_DUPSORT, MDB_INTEGERKEY), which are not read here");
    }
    if (meta.main.root != kNoPage) walk(meta.main.root);
    if (entries_ != meta.main.entries) {
      fail(0,
           fmt::format("holds {} entries, but its meta page says {}", entries_, meta.main.entries));
    }
    return first_value_;
  }

 private:
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const {
    throw FormatError({.file = path_, .offset = offset}, problem);
  }

  Meta read_meta(std::uint64_t offset) const {
    std::vector<std::byte> bytes(kPageHeader + sizeof(Meta));
    if (read_at(file_.fd.get(), bytes, offset, path_) < bytes.size()) {
      fail(offset, "the file ends inside a meta page; it is truncated or no LMDB database");
    }
    const auto meta = load<Meta>(bytes, kPageHeader);
    if ((load<PageHeader>(bytes, 0).flags & kMetaPage) == 0 || meta.magic != kMagic) {
      fail(offset, "is not an LMDB database, or its meta page is damaged");
    }
    if (meta.version != kVersion) {
      fail(offset, fmt::format("is of LMDB's data version {}; {} is read", meta.version, kVersion));
    }
    return meta;
  }

  struct Visit {
    std::uint64_t page;
    std::size_t depth;
    bool is_first;  ///< of all pages at its depth
  };

  void walk(std::uint64_t root) {
    std::vector<Visit> open{{root, 1, true}};
    std::uint64_t visited = 0;
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      if (++visited > pages_ || visit.depth > kMaxDepth) fail(0, "the tree of pages has a cycle");
      check_page(visit, open);
    }
  }

  void check_page(const Visit& visit, std::vector<Visit>& open) {
    const std::uint64_t offset = visit.page * page_size_;
    if (visit.page < 2 || visit.page >= pages_)
      fail(0, fmt::format("there is no page {}", visit.page));
    page_.resize(page_size_);
    if (read_at(file_.fd.get(), page_, offset, path_) < page_size_)
      fail(offset, "the file is truncated");
    const auto header = load<PageHeader>(page_, 0);
    const auto kind = static_cast<std::uint16_t>(header.flags & ~kDirtyPage);
    const std::size_t nodes = header.lower < kPageHeader ? 0 : (header.lower - kPageHeader) / 2U;
    const bool is_branch = kind == kBranchPage;
    if (header.number != visit.page || (!is_branch && kind != kLeafPage) ||
        header.lower > header.upper || header.upper > page_size_ || nodes < (is_branch ? 2U : 1U)) {
      fail(offset, "a page of keys is damaged");
    }
    if (!is_branch) count_leaf(visit.depth, nodes, offset);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t at = load<std::uint16_t>(page_, kPageHeader + 2 * i);
      if (at < header.lower || at + kNodeHeader > page_size_)
        fail(offset, "a page of keys is damaged");
      const auto node = load<Node>(page_, at);
      if (at + kNodeHeader + node.key_size > page_size_) fail(offset, "a key leaves its page");
      if (is_branch) {
        open.push_back({child_of(node), visit.depth + 1, visit.is_first && i == 0});
      } else {
        const std::uint64_t value = find_value(node, at + kNodeHeader + node.key_size, offset);
        if (visit.is_first && i == 0) first_value_ = value;
      }
    }
  }

  // LMDB ends the process where it comes upon a branch beside a leaf.
  void count_leaf(std::size_t depth, std::size_t nodes, std::uint64_t offset) {
    if (leaf_depth_ == 0) leaf_depth_ = depth;
    if (depth != leaf_depth_) fail(offset, "the tree of pages has leaves at different depths");
    entries_ += nodes;
  }

  static std::uint64_t child_of(const Node& node) {
    return node.low | std::uint64_t{node.high} << 16 | std::uint64_t{node.flags} << 32;
  }

  /// Where the value begins in the file; `at` is where its node says so in the page at `offset`.
  std::uint64_t find_value(const Node& node, std::size_t at, std::uint64_t offset) const {
    const std::uint64_t size = node.low | std::uint64_t{node.high} << 16;
    if ((node.flags & kDuplicates) != 0)
      fail(offset, "has duplicate keys, which are not read here");
    if ((node.flags & kBigData) == 0) {
      if (at + size > page_size_) fail(offset, "a value leaves its page");
      return offset + at;
    }
    if (at + sizeof(std::uint64_t) > page_size_) fail(offset, "a value leaves its page");
    const auto first = load<std::uint64_t>(page_, at);
    if (first < 2 || first >= pages_ || kPageHeader + size > (pages_ - first) * page_size_) {
      fail(offset, "a value leaves the file");
    }
    return first * page_size_ + kPageHeader;
  }

  const OpenFile& file_;
  const std::string& path_;
  std::uint64_t page_size_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t entries_ = 0;
  std::size_t leaf_depth_ = 0;  ///< 0 before the first
  std::uint64_t first_value_ = 0;
  std::vector<std::byte> page_;
};

}  // namespace

std::uint64_t check_lmdb_pages(const OpenFile& file, const std::string& path) {
  return PageCheck(file, path).run();
}

}  // namespace feedrate
