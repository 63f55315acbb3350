#include "formats/lmdb/lmdb_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <lmdb.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/file.h"
#include "formats/lmdb/layout.h"
#include "formats/lmdb/lmdb_error.h"
#include "formats/lmdb/page_check.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct CloseEnv {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
};
struct AbortTxn {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};
struct CloseCursor {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};

fs::path data_file(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / "data.mdb" : path;
}

Bytes bytes_of(const MDB_val& value) {
  return {static_cast<const std::byte*>(value.mv_data), value.mv_size};
}

std::string_view text_of(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

MDB_val value_of(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }

// MDB_NOLOCK: nobody writes while a benchmark reads, and a read-only filesystem holds no lock file.
// MDB_NOTLS: a cursor may be opened by one thread and used by another.
constexpr unsigned kEnvFlags = MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS | MDB_NOSUBDIR;

std::unique_ptr<MDB_env, CloseEnv> open_env(const std::string& path, ReadOrder order) {
  const OpenFile file = open_regular_file(path);
  advise(file.fd.get(), order);
  check_lmdb_pages(file, path);
  MDB_env* raw = nullptr;
  check_lmdb(mdb_env_create(&raw), path, "cannot create an LMDB environment");
  std::unique_ptr<MDB_env, CloseEnv> env(raw);
  // The map need not be larger than the file, whatever its meta page asks for.
  check_lmdb(mdb_env_set_mapsize(raw, file.size), path, "cannot set the map size");
  const unsigned no_read_ahead = order == ReadOrder::kRandom ? MDB_NORDAHEAD : 0;
  check_lmdb(mdb_env_open(raw, path.c_str(), kEnvFlags | no_read_ahead, 0), path, "cannot open");
  return env;
}

/// A read transaction on the main database. One thread at a time.
class ReadTxn {
 public:
  ReadTxn(MDB_env* env, const std::string& path) : path_(path) {
    MDB_txn* txn = nullptr;
    check_lmdb(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), path_, "cannot begin reading");
    txn_.reset(txn);
    check_lmdb(mdb_dbi_open(txn, nullptr, 0, &dbi_), path_, "cannot open the main database");
  }

  [[nodiscard]] std::optional<MDB_val> find(std::string_view key) const {
    MDB_val wanted = value_of(key);
    MDB_val found{};
    const int code = mdb_get(txn_.get(), dbi_, &wanted, &found);
    if (code == MDB_NOTFOUND) return std::nullopt;
    check_lmdb(code, path_, "cannot read");
    return found;
  }

  template <typename Visit>
  void for_each(const Visit& visit) const {
    MDB_cursor* raw = nullptr;
    check_lmdb(mdb_cursor_open(txn_.get(), dbi_, &raw), path_, "cannot list keys");
    const std::unique_ptr<MDB_cursor, CloseCursor> cursor(raw);
    MDB_val key{};
    MDB_val value{};
    int code = mdb_cursor_get(raw, &key, &value, MDB_FIRST);
    for (; code == MDB_SUCCESS; code = mdb_cursor_get(raw, &key, &value, MDB_NEXT))
      visit(key, value);
    if (code != MDB_NOTFOUND) check_lmdb(code, path_, "cannot list keys");
  }

  [[nodiscard]] std::uint64_t entries() const {
    MDB_stat stat{};
    check_lmdb(mdb_stat(txn_.get(), dbi_, &stat), path_, "cannot count entries");
    return stat.ms_entries;
  }

 private:
  const std::string& path_;
  std::unique_ptr<MDB_txn, AbortTxn> txn_;
  MDB_dbi dbi_ = 0;
};

// A binary key in hexadecimal, so that it can be printed and be the name of a file.
std::string printable(std::string_view key) {
  const bool is_text = !key.empty() && std::none_of(key.begin(), key.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  if (is_text) return std::string(key);
  return fmt::format(
      "0x{:02x}", fmt::join(reinterpret_cast<const unsigned char*>(key.data()),
                            reinterpret_cast<const unsigned char*>(key.data()) + key.size(), ""));
}

/// The keys of somebody else's database whose values are images, in the dataset's order.
class ForeignKeys {
 public:
  ForeignKeys(const ReadTxn& txn, const std::string& path) {
    txn.for_each([&](const MDB_val& key, const MDB_val& value) { add(key, value); });
    if (keys_.empty()) throw FormatError({.file = path}, describe_failure());
    if (all_numbers_) {
      // Unpadded numbers: LMDB sorts "10" before "2", but record 2 is meant to come first.
      std::sort(keys_.begin(), keys_.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
      });
    }
  }

  [[nodiscard]] std::vector<std::string> take_keys() { return std::move(keys_); }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  void add(const MDB_val& key, const MDB_val& value) {
    const std::string_view text = text_of(key);
    if (extension_for(bytes_of(value)).empty()) {
      ++skipped_;
      pickled_ = pickled_ || looks_pickled(bytes_of(value));
      if (examples_.size() < 2) examples_.push_back(printable(text));
      return;
    }
    all_numbers_ = all_numbers_ && is_plain_number(text);
    keys_.emplace_back(text);
  }

  // Without leading zeros, which would give "7" and "07" the same number.
  static bool is_plain_number(std::string_view text) {
    return !text.empty() && (text == "0" || text.front() != '0') &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  static bool looks_pickled(Bytes value) {
    return value.size() > 2 && value[0] == std::byte{0x80} && value[1] >= std::byte{2} &&
           value[1] <= std::byte{5};
  }

  [[nodiscard]] std::string describe_failure() const {
    std::string text =
        fmt::format("no records: none of the {} values begins like JPEG or PNG", skipped_);
    if (!examples_.empty()) text += fmt::format(" (keys such as {})", fmt::join(examples_, ", "));
    if (pickled_)
      text += "; they look like Python pickles, which are not read because unpickling runs code";
    return text + "; the layout of feedrate and values that are image files are understood";
  }

  std::vector<std::string> keys_;
  std::vector<std::string> examples_;
  std::uint64_t skipped_ = 0;
  bool all_numbers_ = true;
  bool pickled_ = false;
};

struct LmdbContents {
  bool is_foreign = false;
  std::uint64_t records = 0;
  std::vector<std::string> class_names = {};
  std::vector<std::string> keys = {};       ///< only foreign: as they are in the database
  std::vector<std::string> printable = {};  ///< only foreign: as records bear them
  std::uint64_t skipped = 0;
};

LmdbContents read_own(const ReadTxn& txn, std::string_view json, const std::string& path) {
  LmdbManifest manifest = parse_lmdb_manifest(json, path);
  if (manifest.records == 0) throw FormatError({.file = path}, "no records: the manifest says so");
  if (manifest.records != txn.entries() - 1) {
    throw FormatError({.file = path}, fmt::format("holds {} records, but its manifest says {}",
                                                  txn.entries() - 1, manifest.records));
  }
  return {.records = manifest.records, .class_names = std::move(manifest.class_names)};
}

LmdbContents read_foreign(const ReadTxn& txn, const std::string& path) {
  ForeignKeys found(txn, path);
  LmdbContents contents{.is_foreign = true, .keys = found.take_keys(), .skipped = found.skipped()};
  contents.records = contents.keys.size();
  for (const std::string& key : contents.keys) contents.printable.push_back(printable(key));
  return contents;
}

LmdbContents read_contents(MDB_env* env, const std::string& path) {
  const ReadTxn txn(env, path);
  const auto manifest = txn.find(kLmdbManifestKey);
  return manifest ? read_own(txn, text_of(*manifest), path) : read_foreign(txn, path);
}

/// Asks for all pages of a value at once: without read-ahead each would be a read from storage of
/// its own.
void want(Bytes value) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(value.data()) % page;
  auto* const begin = const_cast<std::byte*>(value.data()) - into_page;
  // Advice: what it does not bring, reading does.
  static_cast<void>(::madvise(begin, value.size() + into_page, MADV_WILLNEED));
}

class LmdbCursor final : public RecordCursor {
 public:
  LmdbCursor(MDB_env* env, const std::string& path, const LmdbContents& contents, ReadOrder order)
      : path_(path), contents_(contents), order_(order), txn_(env, path) {}

  Record read(std::size_t index) override {
    if (contents_.is_foreign) {
      return {.payload = value(contents_.keys[index], index), .key = contents_.printable[index]};
    }
    const auto record = decode_lmdb_value(value(lmdb_key(index), index));
    if (!record) {
      throw FormatError({.file = path_, .record = index}, "the header of the value is damaged");
    }
    return *record;
  }

  // The tree above the values is read here, and only what they themselves take is asked for.
  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) {
      const auto found = txn_.find(key_of(index));
      if (found) want(bytes_of(*found));
    }
  }

 private:
  [[nodiscard]] std::string key_of(std::size_t index) const {
    return contents_.is_foreign ? contents_.keys[index] : lmdb_key(index);
  }

  Bytes value(const std::string& key, std::size_t index) const {
    const auto found = txn_.find(key);
    if (!found) {
      throw FormatError({.file = path_, .record = index},
                        fmt::format("there is no key \"{}\"", key));
    }
    const Bytes bytes = bytes_of(*found);
    // A system call costs more than it saves where there are few pages.
    constexpr std::size_t kFewBytes = 16 * 1024;
    if (order_ == ReadOrder::kRandom && bytes.size() >= kFewBytes) want(bytes);
    return bytes;
  }

  const std::string& path_;
  const LmdbContents& contents_;
  ReadOrder order_;
  ReadTxn txn_;
};

class LmdbReader final : public RecordReader {
 public:
  LmdbReader(const fs::path& path, ReadOrder order)
      : path_(data_file(path).string()),
        order_(order),
        env_(open_env(path_, order)),
        contents_(read_contents(env_.get(), path_)) {}

  std::string_view format() const noexcept override { return "lmdb"; }
  std::size_t size() const noexcept override { return contents_.records; }
  Payload payload() const noexcept override { return Payload::kEncoded; }
  const std::vector<std::string>& class_names() const noexcept override {
    return contents_.class_names;
  }
  std::vector<fs::path> files() const override { return {path_}; }
  DataLocation locate(std::size_t index) const override { return {.file = path_, .record = index}; }

  std::string layout() const override {
    if (!contents_.is_foreign) return "LMDB, feedrate's layout";
    std::string text = "LMDB, one image file per value, no labels";
    if (contents_.skipped > 0) text += fmt::format(", {} other values skipped", contents_.skipped);
    return text;
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<LmdbCursor>(env_.get(), path_, contents_, order_);
  }

 private:
  std::string path_;
  ReadOrder order_;
  std::unique_ptr<MDB_env, CloseEnv> env_;
  LmdbContents contents_;
};

}  // namespace

std::unique_ptr<RecordReader> open_lmdb_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<LmdbReader>(path, options.order);
}

}  // namespace feedrate
