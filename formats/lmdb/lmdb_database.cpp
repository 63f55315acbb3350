// SPDX-License-Identifier: Apache-2.0
#include "formats/lmdb/lmdb_database.h"

#include <fmt/format.h>
#include <lmdb.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/batch_extents.h"

namespace feedrate {
namespace {

struct CloseCursor {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};

MDB_env* env_of(void* env) { return static_cast<MDB_env*>(env); }
MDB_txn* txn_of(void* txn) { return static_cast<MDB_txn*>(txn); }

Bytes bytes_of(const MDB_val& value) {
  return {static_cast<const std::byte*>(value.mv_data), value.mv_size};
}

std::string_view text_of(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

// MDB_NOLOCK: a read-only filesystem cannot hold a lock file. MDB_NOTLS: a transaction belongs to
// its cursor, not to a thread.
constexpr unsigned kEnvFlags = MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS | MDB_NOSUBDIR;

}  // namespace

void CloseLmdbEnv::operator()(void* env) const noexcept { mdb_env_close(env_of(env)); }
void AbortLmdbTxn::operator()(void* txn) const noexcept { mdb_txn_abort(txn_of(txn)); }

LmdbDatabase::LmdbDatabase(const std::string& path, ReadOrder order) : path_(path) {
  const OpenFile file = open_regular_file(path);
  advise(file.fd.get(), order);
  check_lmdb_meta(file, path);
  MDB_env* env = nullptr;
  check_lmdb(mdb_env_create(&env), path, "cannot create an LMDB environment");
  env_.reset(env);
  // Ignores the map size of the meta page, which may be far larger than the file.
  check_lmdb(mdb_env_set_mapsize(env, file.size), path, "cannot set the map size");
  check_lmdb(mdb_env_set_maxdbs(env, 1), path, "cannot prepare reading");  // is_database()
  const unsigned no_read_ahead = order == ReadOrder::kRandom ? MDB_NORDAHEAD : 0;
  check_lmdb(mdb_env_open(env, path.c_str(), kEnvFlags | no_read_ahead, 0), path, "cannot open");
  MDB_txn* txn = nullptr;
  check_lmdb(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), path, "cannot begin reading");
  const std::unique_ptr<void, AbortLmdbTxn> aborted(txn);
  check_lmdb(mdb_dbi_open(txn, nullptr, 0, &dbi_), path, "cannot open the main database");
  opened_at_ = mdb_txn_id(txn);
  unsigned flags = 0;
  check_lmdb(mdb_dbi_flags(txn, dbi_, &flags), path, "cannot open the main database");
  if ((flags & ~unsigned{MDB_REVERSEKEY}) != 0) {
    throw FormatError(
        {.file = path},
        "has duplicate or integer keys (MDB_DUPSORT, MDB_INTEGERKEY), which are not supported");
  }
}

LmdbTransaction::LmdbTransaction(const LmdbDatabase& database) : database_(database) {
  MDB_txn* txn = nullptr;
  const int code = mdb_txn_begin(env_of(database.env_.get()), nullptr, MDB_RDONLY, &txn);
  txn_.reset(txn);
  if (code == MDB_MAP_RESIZED || (code == 0 && mdb_txn_id(txn) != database.opened_at_)) {
    throw FormatError({.file = database.path_},
                      "was written to after it was opened; open it again");
  }
  check_lmdb(code, database.path_, "cannot begin reading");
}

void LmdbTransaction::visit(const Visit& visit) const {
  MDB_cursor* raw = nullptr;
  check_lmdb(mdb_cursor_open(txn_of(txn_.get()), database_.dbi_, &raw), database_.path_,
             "cannot list keys");
  const std::unique_ptr<MDB_cursor, CloseCursor> cursor(raw);
  MDB_val key{};
  MDB_val value{};
  int code = mdb_cursor_get(raw, &key, &value, MDB_FIRST);
  while (code == MDB_SUCCESS) {
    visit(text_of(key), bytes_of(value));
    code = mdb_cursor_get(raw, &key, &value, MDB_NEXT);
  }
  if (code != MDB_NOTFOUND) check_lmdb(code, database_.path_, "cannot list keys");
}

std::optional<Bytes> LmdbTransaction::find(std::string_view key) const {
  MDB_val wanted{key.size(), const_cast<char*>(key.data())};
  MDB_val found{};
  const int code = mdb_get(txn_of(txn_.get()), database_.dbi_, &wanted, &found);
  if (code == MDB_NOTFOUND) return std::nullopt;
  check_lmdb(code, database_.path_, "cannot read");
  return bytes_of(found);
}

std::uint64_t LmdbTransaction::entries() const {
  MDB_stat stat{};
  check_lmdb(mdb_stat(txn_of(txn_.get()), database_.dbi_, &stat), database_.path_,
             "cannot count entries");
  return stat.ms_entries;
}

bool LmdbTransaction::is_database(std::string_view key, Bytes value) const {
  constexpr std::size_t kDescriptionBytes = 48;  // LMDB's MDB_db.
  if (value.size() != kDescriptionBytes || key.find('\0') != std::string_view::npos) return false;
  MDB_dbi opened = 0;
  const int code = mdb_dbi_open(txn_of(txn_.get()), std::string(key).c_str(), 0, &opened);
  return code == MDB_SUCCESS || code == MDB_DBS_FULL;
}

void check_lmdb(int code, const std::string& path, std::string_view action) {
  if (code == MDB_SUCCESS) return;
  if (code > 0) throw SystemError(path, action, code);
  throw FormatError({.file = path}, fmt::format("{}: {}", action, mdb_strerror(code)));
}

}  // namespace feedrate
