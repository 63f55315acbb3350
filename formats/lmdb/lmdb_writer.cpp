// SPDX-License-Identifier: Apache-2.0
// Writes an LMDB database in feedrate's layout, as a folder that lmdb.open(path) opens.
#include <cstddef>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <lmdb.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/lmdb/layout.h"
#include "formats/lmdb/lmdb_database.h"
#include "formats/payload.h"
#include "formats/staging.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFirstMapBytes = 64U << 20;
constexpr std::size_t kBatchBytes = 16U << 20;

struct CloseEnv {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
};
struct AbortTxn {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};

struct Pair {
  std::string key;
  std::vector<std::byte> value;
};

/// A database that doubles its map when it is full. Keys must come in ascending order.
class GrowingDatabase {
 public:
  explicit GrowingDatabase(const std::string& folder) : path_(folder + "/data.mdb") {
    MDB_env* env = nullptr;
    check_lmdb(mdb_env_create(&env), path_, "cannot create an LMDB environment");
    env_.reset(env);
    check_lmdb(mdb_env_set_mapsize(env, map_bytes_), path_, "cannot set the map size");
    // MDB_WRITEMAP is not set: on a full disk it raises SIGBUS, where a write fails.
    // MDB_NOSYNC: sync() makes the data durable.
    check_lmdb(mdb_env_open(env, folder.c_str(), MDB_NOLOCK | MDB_NOSYNC, 0666), path_,
               "cannot create");
  }

  void put(Pair pair) {
    pending_bytes_ += pair.value.size();
    pending_.push_back(std::move(pair));
    if (pending_bytes_ >= kBatchBytes) flush();
  }

  void sync() {
    flush();
    check_lmdb(mdb_env_sync(env_.get(), 1), path_, "cannot sync");
  }

 private:
  void flush() {
    // A transaction that fills the map is lost, so the batch is written again.
    while (!try_flush()) {
      map_bytes_ *= 2;
      check_lmdb(mdb_env_set_mapsize(env_.get(), map_bytes_), path_, "cannot grow the map");
    }
    pending_.clear();
    pending_bytes_ = 0;
  }

  // Returns false if the map is full.
  bool try_flush() {
    MDB_txn* raw = nullptr;
    check_lmdb(mdb_txn_begin(env_.get(), nullptr, 0, &raw), path_, "cannot begin writing");
    std::unique_ptr<MDB_txn, AbortTxn> txn(raw);
    MDB_dbi dbi = 0;
    check_lmdb(mdb_dbi_open(raw, nullptr, 0, &dbi), path_, "cannot open the main database");
    for (Pair& pair : pending_) {
      MDB_val key{pair.key.size(), pair.key.data()};
      MDB_val value{pair.value.size(), pair.value.data()};
      const int code = mdb_put(raw, dbi, &key, &value, MDB_APPEND);
      if (code == MDB_MAP_FULL) return false;
      check_lmdb(code, path_, "cannot write");
    }
    const int code = mdb_txn_commit(txn.release());
    if (code == MDB_MAP_FULL) return false;
    check_lmdb(code, path_, "cannot write");
    return true;
  }

  std::string path_;
  std::size_t map_bytes_ = kFirstMapBytes;
  std::unique_ptr<MDB_env, CloseEnv> env_;
  std::vector<Pair> pending_;
  std::size_t pending_bytes_ = 0;
};

std::string create_folder(const fs::path& path) {
  create_folders(path);
  return path.string();
}

class LmdbWriter final : public RecordWriter {
 public:
  LmdbWriter(const fs::path& path, const WriterOptions& options)
      : staging_(path), database_(std::in_place, create_folder(staging_.draft())) {
    manifest_.class_names = options.class_names;
  }

  void append(const Record& record) override {
    const std::string target = staging_.target().string();
    require_payload(record, Payload::kEncoded, target);
    require_plausible_size(record.payload.size(), {.file = target, .record = manifest_.records});
    keys_.add(record.key, target);
    database_->put({lmdb_key(manifest_.records), encode_lmdb_value(record)});
    ++manifest_.records;
  }

  void finish() override {
    if (manifest_.records == 0) {
      throw FormatError({.file = staging_.target().string()}, "no records were written");
    }
    const std::string json = format_lmdb_manifest(manifest_);
    const Bytes bytes = std::as_bytes(std::span(json));
    database_->put({std::string(kLmdbManifestKey), {bytes.begin(), bytes.end()}});
    database_->sync();
    database_.reset();
    staging_.publish();
  }

 private:
  Staging staging_;
  std::optional<GrowingDatabase> database_;
  LmdbManifest manifest_;
  WrittenKeys keys_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_lmdb_writer(const fs::path& path,
                                                 const WriterOptions& options) {
  return std::make_unique<LmdbWriter>(path, options);
}

}  // namespace feedrate
