#include "formats/lmdb/lmdb_database.h"

#include <lmdb.h>

#include "core/error.h"
#include "formats/lmdb/lmdb_error.h"
#include "formats/lmdb/page_check.h"

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

// MDB_NOLOCK: nobody writes while a benchmark reads, and a read-only filesystem holds no lock file.
constexpr unsigned kEnvFlags = MDB_RDONLY | MDB_NOLOCK | MDB_NOSUBDIR;

}  // namespace

void LmdbDatabase::CloseEnv::operator()(void* env) const noexcept { mdb_env_close(env_of(env)); }
void LmdbDatabase::AbortTxn::operator()(void* txn) const noexcept { mdb_txn_abort(txn_of(txn)); }

LmdbDatabase::LmdbDatabase(const std::string& path, const OpenFile& file, ReadOrder order)
    : path_(path) {
  const std::uint64_t first_value = check_lmdb_pages(file, path);
  MDB_env* env = nullptr;
  check_lmdb(mdb_env_create(&env), path, "cannot create an LMDB environment");
  env_.reset(env);
  // The map need not be larger than the file, whatever its meta page asks for.
  check_lmdb(mdb_env_set_mapsize(env, file.size), path, "cannot set the map size");
  const unsigned no_read_ahead = order == ReadOrder::kRandom ? MDB_NORDAHEAD : 0;
  check_lmdb(mdb_env_open(env, path.c_str(), kEnvFlags | no_read_ahead, 0), path, "cannot open");
  MDB_txn* txn = nullptr;
  check_lmdb(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), path, "cannot begin reading");
  txn_.reset(txn);
  check_lmdb(mdb_dbi_open(txn, nullptr, 0, &dbi_), path, "cannot open the main database");
  mapping_ = find_mapping(file, first_value);
}

void LmdbDatabase::visit(const Visit& visit) const {
  MDB_cursor* raw = nullptr;
  check_lmdb(mdb_cursor_open(txn_of(txn_.get()), dbi_, &raw), path_, "cannot list keys");
  const std::unique_ptr<MDB_cursor, CloseCursor> cursor(raw);
  MDB_val key{};
  MDB_val value{};
  int code = mdb_cursor_get(raw, &key, &value, MDB_FIRST);
  while (code == MDB_SUCCESS && visit(text_of(key), bytes_of(value))) {
    code = mdb_cursor_get(raw, &key, &value, MDB_NEXT);
  }
  if (code != MDB_NOTFOUND) check_lmdb(code, path_, "cannot list keys");
}

std::optional<Bytes> LmdbDatabase::find(std::string_view key) const {
  MDB_val wanted{key.size(), const_cast<char*>(key.data())};
  MDB_val found{};
  const int code = mdb_get(txn_of(txn_.get()), dbi_, &wanted, &found);
  if (code == MDB_NOTFOUND) return std::nullopt;
  check_lmdb(code, path_, "cannot read");
  return bytes_of(found);
}

std::uint64_t LmdbDatabase::entries() const {
  MDB_stat stat{};
  check_lmdb(mdb_stat(txn_of(txn_.get()), dbi_, &stat), path_, "cannot count entries");
  return stat.ms_entries;
}

// LMDB does not tell where it maps a file, but where a value is.
Bytes LmdbDatabase::find_mapping(const OpenFile& file, std::uint64_t first_value) const {
  Bytes mapping;
  visit([&](std::string_view /*key*/, Bytes value) {
    mapping = {value.data() - first_value, file.size};
    return false;
  });
  return mapping;
}

void LmdbDatabase::require_unchanged() const {
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(env_of(env_.get()), &info), path_, "cannot ask for the last transaction");
  if (info.me_last_txnid == mdb_txn_id(txn_of(txn_.get()))) return;
  throw FormatError({.file = path_}, "was written to after it was opened; open it again");
}

}  // namespace feedrate
