// SPDX-License-Identifier: Apache-2.0
// An LMDB database as it was when it was opened: its keys and values, which lie in LMDB's mapping.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"
#include "formats/read_options.h"

namespace feedrate {

struct CloseLmdbEnv {
  void operator()(void* env) const noexcept;
};
struct AbortLmdbTxn {
  void operator()(void* txn) const noexcept;
};

/// An open database file. Const methods may be called from any thread, and in forked processes:
/// nothing is locked.
class LmdbDatabase {
 public:
  /// Throws FormatError if the file is cut or no database, SystemError if the system refuses.
  /// `path` outlives this.
  LmdbDatabase(const std::string& path, ReadOrder order);

 private:
  friend class LmdbTransaction;

  const std::string& path_;
  std::unique_ptr<void, CloseLmdbEnv> env_;
  unsigned dbi_ = 0;
  std::size_t opened_at_ = 0;  ///< the last transaction that wrote
};

/// Reads a database; used by one thread. Views of keys and values live as long as this.
class LmdbTransaction {
 public:
  /// Calls `visit` for keys and values in the order of keys.
  using Visit = std::function<void(std::string_view key, Bytes value)>;

  /// `database` outlives this. Throws FormatError if the file was written to since it was opened:
  /// pages of values that were replaced are used again.
  explicit LmdbTransaction(const LmdbDatabase& database);

  void visit(const Visit& visit) const;
  [[nodiscard]] std::optional<Bytes> find(std::string_view key) const;
  [[nodiscard]] std::uint64_t entries() const;
  /// Whether `value`, of `key`, is no value but a database of this name.
  [[nodiscard]] bool is_database(std::string_view key, Bytes value) const;

 private:
  const LmdbDatabase& database_;
  std::unique_ptr<void, AbortLmdbTxn> txn_;
};

}  // namespace feedrate
