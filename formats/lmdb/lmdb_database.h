// An LMDB database as it was when it was opened: its keys and values, which lie in LMDB's mapping.
// One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"
#include "formats/file.h"
#include "formats/read_options.h"

namespace feedrate {

/// Views of keys and values are of the mapping, which lives as long as this.
class LmdbDatabase {
 public:
  /// Calls `visit` for keys and values in the order of keys, until it says false.
  using Visit = std::function<bool(std::string_view key, Bytes value)>;

  /// Looks through the pages of `file` first. Throws FormatError if it is damaged, SystemError if
  /// the system refuses.
  LmdbDatabase(const std::string& path, const OpenFile& file, ReadOrder order);

  void visit(const Visit& visit) const;
  [[nodiscard]] std::optional<Bytes> find(std::string_view key) const;
  [[nodiscard]] std::uint64_t entries() const;
  /// The whole file as LMDB has mapped it; nothing where the database is empty.
  [[nodiscard]] Bytes mapping() const noexcept { return mapping_; }

  /// Throws FormatError if somebody wrote to the file since it was opened: a value that was
  /// replaced stays where it is for one more transaction, not for ever. Any thread.
  void require_unchanged() const;

 private:
  [[nodiscard]] Bytes find_mapping(const OpenFile& file, std::uint64_t first_value) const;

  struct CloseEnv {
    void operator()(void* env) const noexcept;
  };
  struct AbortTxn {
    void operator()(void* txn) const noexcept;
  };

  const std::string& path_;
  std::unique_ptr<void, CloseEnv> env_;
  std::unique_ptr<void, AbortTxn> txn_;
  unsigned dbi_ = 0;
  Bytes mapping_;
};

}  // namespace feedrate
