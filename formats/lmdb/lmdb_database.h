// SPDX-License-Identifier: Apache-2.0
// Reads one snapshot of an LMDB database: keys and values, as views of LMDB's mapping.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/host/file.h"
#include "core/units.h"
#include "formats/read_options.h"

namespace feedrate {

struct CloseLmdbEnv {
  void operator()(void* env) const noexcept;
};
struct AbortLmdbTxn {
  void operator()(void* txn) const noexcept;
};

/// An open database file. Any thread and forked processes may call const methods: there are no
/// locks.
class LmdbDatabase {
 public:
  /// Throws FormatError if the file is truncated or no database, SystemError if the system refuses.
  /// `path` outlives this.
  LmdbDatabase(const std::string& path, ReadOrder order);

 private:
  friend class LmdbTransaction;

  const std::string& path_;
  std::unique_ptr<void, CloseLmdbEnv> env_;
  unsigned dbi_ = 0;
  std::size_t opened_at_ = 0;  ///< number of the last write transaction at opening
};

/// A read transaction; used by one thread. Views of keys and values live as long as this.
class LmdbTransaction {
 public:
  /// Called for keys in ascending order.
  using Visit = std::function<void(std::string_view key, Bytes value)>;

  /// `database` outlives this. Throws FormatError if the file was written to after it was opened:
  /// LMDB may have reused its pages.
  explicit LmdbTransaction(const LmdbDatabase& database);

  void visit(const Visit& visit) const;
  [[nodiscard]] std::optional<Bytes> find(std::string_view key) const;
  [[nodiscard]] std::uint64_t entries() const;
  /// Whether `key` names a nested database, so that `value` is its descriptor.
  [[nodiscard]] bool is_database(std::string_view key, Bytes value) const;

 private:
  const LmdbDatabase& database_;
  std::unique_ptr<void, AbortLmdbTxn> txn_;
};

/// Throws SystemError if `code` is an errno, FormatError if it is LMDB's own. Accepts MDB_SUCCESS.
void check_lmdb(int code, const std::string& path, std::string_view action);

/// Checks magic, version, page size, and that the file has all pages of the newer meta page, before
/// LMDB maps it: reading a truncated file would end the process with SIGBUS. Throws FormatError
/// naming `path` and the offset.
void check_lmdb_meta(const OpenFile& file, const std::string& path);

}  // namespace feedrate
