#include "formats/lmdb/lmdb_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "formats/file.h"
#include "formats/lmdb/layout.h"
#include "formats/lmdb/lmdb_database.h"
#include "formats/mapped_file.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path data_file(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / "data.mdb" : path;
}

std::string_view manifest_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

/// The records of a database and where they lie. While nobody writes, a value does not move.
struct LmdbContents {
  bool is_foreign = false;
  std::vector<std::string> class_names = {};
  std::vector<Bytes> values = {};           ///< in the mapping; without address where there is none
  std::vector<std::string> printable = {};  ///< only foreign: keys, as records bear them
  std::uint64_t skipped = 0;
};

/// The values of somebody else's database that are images, in the dataset's order.
class ForeignValues {
 public:
  ForeignValues(const LmdbDatabase& database, const std::string& path) {
    database.visit([&](std::string_view key, Bytes value) {
      add(key, value);
      return true;
    });
    if (found_.empty()) throw FormatError({.file = path}, describe_failure());
    if (!all_numbers_) return;
    // Unpadded numbers: LMDB sorts "10" before "2", but record 2 is meant to come first.
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return a.key.size() != b.key.size() ? a.key.size() < b.key.size() : a.key < b.key;
    });
  }

  [[nodiscard]] LmdbContents contents() const {
    LmdbContents contents{.is_foreign = true, .skipped = skipped_};
    for (const Found& found : found_) {
      contents.values.push_back(found.value);
      contents.printable.push_back(printable(found.key));
    }
    return contents;
  }

 private:
  struct Found {
    std::string_view key;  // In the mapping.
    Bytes value;
  };

  void add(std::string_view key, Bytes value) {
    if (extension_for(value).empty()) {
      ++skipped_;
      pickled_ = pickled_ || looks_pickled(value);
      if (examples_.size() < 2) examples_.push_back(printable(key));
      return;
    }
    all_numbers_ = all_numbers_ && is_plain_number(key);
    found_.push_back({key, value});
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

  std::vector<Found> found_;
  std::vector<std::string> examples_;
  std::uint64_t skipped_ = 0;
  bool all_numbers_ = true;
  bool pickled_ = false;
};

LmdbContents read_own(const LmdbDatabase& database, std::string_view json,
                      const std::string& path) {
  LmdbManifest manifest = parse_lmdb_manifest(json, path);
  if (manifest.records == 0) throw FormatError({.file = path}, "no records: the manifest says so");
  if (manifest.records != database.entries() - 1) {
    throw FormatError({.file = path}, fmt::format("holds {} records, but its manifest says {}",
                                                  database.entries() - 1, manifest.records));
  }
  LmdbContents contents{.class_names = std::move(manifest.class_names)};
  contents.values.resize(manifest.records);
  database.visit([&](std::string_view key, Bytes value) {
    const auto index = lmdb_index(key);
    if (index && *index < contents.values.size()) contents.values[*index] = value;
    return true;
  });
  return contents;
}

LmdbContents read_contents(const LmdbDatabase& database, const std::string& path) {
  const auto manifest = database.find(kLmdbManifestKey);
  return manifest ? read_own(database, manifest_text(*manifest), path)
                  : ForeignValues(database, path).contents();
}

class LmdbCursor final : public RecordCursor {
 public:
  LmdbCursor(const std::string& path, const LmdbContents& contents, const WatchedMapping& mapping)
      : path_(path), contents_(contents), mapping_(mapping) {}

  Record read(std::size_t index) override {
    if (length_.is_due()) mapping_.check_length(index);
    const Bytes value = contents_.values[index];
    mapping_.bring_in(value, index);
    if (contents_.is_foreign) return {.payload = value, .key = contents_.printable[index]};
    if (value.data() == nullptr)
      fail(index, fmt::format("there is no key \"{}\"", lmdb_key(index)));
    const auto record = decode_lmdb_value(value);
    if (!record) fail(index, "the header of the value is damaged");
    return *record;
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) mapping_.ask_for(contents_.values[index]);
  }

 private:
  [[noreturn]] void fail(std::size_t index, std::string_view problem) const {
    throw FormatError({.file = path_, .record = index}, problem);
  }

  const std::string& path_;
  const LmdbContents& contents_;
  const WatchedMapping& mapping_;
  LengthCheck length_;
};

/// Finds all records when it is opened, and reads them without LMDB, which would search its tree
/// for each.
class LmdbReader final : public RecordReader {
 public:
  LmdbReader(const fs::path& path, const ReadOptions& options)
      : path_(data_file(path).string()), file_(open_regular_file(path_)) {
    advise(file_.fd.get(), options.order);
    database_.emplace(path_, file_, options.order);
    mapping_.emplace(database_->mapping(), file_.fd.get(), path_, options);
    contents_ = read_contents(*database_, path_);
    mapping_->check_length({});
  }

  std::string_view format() const noexcept override { return "lmdb"; }
  std::size_t size() const noexcept override { return contents_.values.size(); }
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
    mapping_->check_length({});
    database_->require_unchanged();
    return std::make_unique<LmdbCursor>(path_, contents_, *mapping_);
  }

 private:
  std::string path_;
  OpenFile file_;
  std::optional<LmdbDatabase> database_;
  std::optional<WatchedMapping> mapping_;  ///< of database_
  LmdbContents contents_;
};

}  // namespace

std::unique_ptr<RecordReader> open_lmdb_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<LmdbReader>(path, options);
}

}  // namespace feedrate
