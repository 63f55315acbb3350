// LMDB files page by page (mdb.c, data version 1), so that tests can make what LMDB would not.
// Pages of 512 bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace feedrate::testing {

inline constexpr std::size_t kLmdbPage = 512;
inline constexpr std::uint16_t kLmdbBranch = 0x01, kLmdbLeaf = 0x02, kLmdbMeta = 0x08;

template <typename Number>
void put_at(std::string& bytes, std::size_t at, Number value) {
  std::memcpy(bytes.data() + at, &value, sizeof(Number));
}

inline std::string lmdb_page(std::uint64_t number, std::uint16_t kind) {
  std::string page(kLmdbPage, '\0');
  put_at(page, 0, number);
  put_at(page, 10, kind);
  return page;
}

/// Of a database of `pages` pages, whose keys begin at page `root`.
inline std::string lmdb_meta(std::uint64_t number, std::uint64_t root, std::uint16_t depth,
                             std::uint64_t pages, std::uint64_t entries) {
  std::string page = lmdb_page(number, kLmdbMeta);
  put_at(page, 16, std::uint32_t{0xBEEFC0DE});
  put_at(page, 20, std::uint32_t{1});
  put_at(page, 32, std::uint64_t{1} << 20);  // the map
  put_at(page, 40, static_cast<std::uint32_t>(kLmdbPage));
  put_at(page, 80, ~std::uint64_t{0});  // no free pages
  put_at(page, 94, depth);
  put_at(page, 104, pages - 2);
  put_at(page, 120, entries);
  put_at(page, 128, root);
  put_at(page, 136, pages - 1);
  put_at(page, 144, number);  // the transaction
  return page;
}

/// `number` is the page of a branch's child, or the size of a leaf's value.
inline std::string lmdb_node(std::uint64_t number, const std::string& key,
                             const std::string& value = {}) {
  std::string node(8, '\0');
  put_at(node, 0, static_cast<std::uint32_t>(number));
  put_at(node, 4, static_cast<std::uint16_t>(number >> 32));
  put_at(node, 6, static_cast<std::uint16_t>(key.size()));
  return node + key + value;
}

/// A page of keys; they must be in order.
inline std::string lmdb_keys(std::uint64_t number, std::uint16_t kind,
                             const std::vector<std::string>& nodes) {
  std::string page = lmdb_page(number, kind);
  std::size_t upper = kLmdbPage;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    upper -= (nodes[i].size() + 1) / 2 * 2;
    page.replace(upper, nodes[i].size(), nodes[i]);
    put_at(page, 16 + 2 * i, static_cast<std::uint16_t>(upper));
  }
  put_at(page, 12, static_cast<std::uint16_t>(16 + 2 * nodes.size()));
  put_at(page, 14, static_cast<std::uint16_t>(upper));
  return page;
}

inline std::string lmdb_leaf(std::uint64_t number, const std::string& key,
                             const std::string& value) {
  return lmdb_keys(number, kLmdbLeaf, {lmdb_node(value.size(), key, value)});
}

inline std::string lmdb_branch(std::uint64_t number, std::uint64_t left, const std::string& key,
                               std::uint64_t right) {
  return lmdb_keys(number, kLmdbBranch, {lmdb_node(left, ""), lmdb_node(right, key)});
}

/// Three values as `value`, in a branch of two leaves beside a leaf.
inline std::string lmdb_with_uneven_leaves(const std::string& value) {
  return lmdb_meta(0, 2, 3, 7, 3) + lmdb_meta(1, 2, 3, 7, 3) + lmdb_branch(2, 3, "m", 4) +
         lmdb_leaf(3, "a", value) + lmdb_branch(4, 5, "x", 6) + lmdb_leaf(5, "n", value) +
         lmdb_leaf(6, "y", value);
}

/// Two values as `value`, in two leaves.
inline std::string lmdb_with_even_leaves(const std::string& value) {
  return lmdb_meta(0, 2, 2, 5, 2) + lmdb_meta(1, 2, 2, 5, 2) + lmdb_branch(2, 3, "m", 4) +
         lmdb_leaf(3, "a", value) + lmdb_leaf(4, "n", value);
}

}  // namespace feedrate::testing
