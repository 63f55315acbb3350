// SPDX-License-Identifier: Apache-2.0
// Reads LMDB databases of encoded images, in feedrate's layout or with an image per value. See
// docs/formats.md.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "formats/batch_extents.h"
#include "formats/formats.h"
#include "formats/lmdb/layout.h"
#include "formats/lmdb/lmdb_database.h"
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

// A binary key in hexadecimal, for messages and file names.
std::string printable(std::string_view key) {
  const bool is_text = !key.empty() && std::none_of(key.begin(), key.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  if (is_text) return std::string(key);
  return fmt::format(
      "0x{:02x}", fmt::join(reinterpret_cast<const unsigned char*>(key.data()),
                            reinterpret_cast<const unsigned char*>(key.data()) + key.size(), ""));
}

struct LmdbContents {
  std::size_t records = 0;
  std::vector<std::string> class_names = {};
  std::vector<std::string> keys = {};       ///< only of other programs' databases
  std::vector<std::string> printable = {};  ///< `keys` as Record::key
  std::uint64_t skipped = 0;

  [[nodiscard]] bool is_foreign() const noexcept { return !keys.empty(); }
};

/// The keys of another program's database whose values are images, in dataset order.
class ForeignKeys {
 public:
  ForeignKeys(const LmdbTransaction& transaction, const std::string& path) {
    transaction.visit([&](std::string_view key, Bytes value) {
      if (transaction.is_database(key, value)) fail_by_named(key, path);
      add(key, value);
    });
    if (found_.empty()) throw FormatError({.file = path}, describe_failure());
    if (!all_numbers_) return;
    // Sort unpadded numbers by value: LMDB sorts "10" before "2".
    std::sort(found_.begin(), found_.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
  }

  [[nodiscard]] LmdbContents contents() const {
    LmdbContents contents{.records = found_.size(), .keys = found_, .skipped = skipped_};
    for (const std::string& key : found_) contents.printable.push_back(printable(key));
    return contents;
  }

 private:
  void add(std::string_view key, Bytes value) {
    if (extension_for(value).empty()) {
      ++skipped_;
      pickled_ = pickled_ || looks_pickled(value);
      if (examples_.size() < 2) examples_.push_back(printable(key));
      return;
    }
    all_numbers_ = all_numbers_ && is_plain_number(key);
    found_.emplace_back(key);
  }

  [[noreturn]] static void fail_by_named(std::string_view key, const std::string& path) {
    throw FormatError(
        {.file = path},
        fmt::format("has a named database, \"{}\"; only records of the main database are read. In "
                    "Python: copy them by put(key, value) in a transaction without db=",
                    printable(key)));
  }

  // Refuses leading zeros, because "7" and "07" would be the same number.
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
    return text + "; supported: the layout of feedrate, and values that are image files";
  }

  std::vector<std::string> found_;
  std::vector<std::string> examples_;
  std::uint64_t skipped_ = 0;
  bool all_numbers_ = true;
  bool pickled_ = false;
};

LmdbContents read_own(const LmdbTransaction& transaction, std::string_view json,
                      const std::string& path) {
  LmdbManifest manifest = parse_lmdb_manifest(json, path);
  if (manifest.records == 0) throw FormatError({.file = path}, "no records: the manifest says 0");
  const std::uint64_t held = transaction.entries() - 1;
  if (manifest.records != held) {
    throw FormatError({.file = path}, fmt::format("holds {} records, but its manifest says {}",
                                                  held, manifest.records));
  }
  return {.records = manifest.records, .class_names = std::move(manifest.class_names)};
}

LmdbContents read_contents(const LmdbDatabase& database, const std::string& path) {
  const LmdbTransaction transaction(database);
  const auto manifest = transaction.find(kLmdbManifestKey);
  return manifest ? read_own(transaction, manifest_text(*manifest), path)
                  : ForeignKeys(transaction, path).contents();
}

// Faults in the pages, so that waiting for storage is measured as reading, not as decoding.
void fault_in(Bytes value) noexcept {
  constexpr std::size_t kSmallestPage = 4096;
  const auto inspect = [](const std::byte& byte) {
    static_cast<void>(*static_cast<const volatile std::byte*>(&byte));
  };
  for (std::size_t at = 0; at < value.size(); at += kSmallestPage) inspect(value[at]);
  if (!value.empty()) inspect(value.back());
}

class LmdbCursor final : public RecordCursor {
 public:
  LmdbCursor(const std::string& path, const LmdbContents& contents, const LmdbDatabase& database)
      : path_(path), contents_(contents), transaction_(database) {}

  Record read(std::size_t index) override {
    const std::optional<Bytes> value = find(index);
    if (!value) fail(index, fmt::format("no key \"{}\"", printable_key(index)));
    fault_in(*value);
    if (contents_.is_foreign()) return {.payload = *value, .key = contents_.printable[index]};
    const auto record = decode_lmdb_value(*value);
    if (!record) fail(index, "the header of the value is damaged");
    return *record;
  }

  void expect(std::span<const std::uint64_t> indices) override {
    try {
      for (const std::uint64_t index : indices) want_mapped(find(index).value_or(Bytes()));
    } catch (const Error&) {  // A later read reports the error.
    }
  }

 private:
  [[nodiscard]] std::optional<Bytes> find(std::size_t index) const {
    if (contents_.is_foreign()) return transaction_.find(contents_.keys[index]);
    return transaction_.find(lmdb_key(index));
  }

  [[nodiscard]] std::string printable_key(std::size_t index) const {
    return contents_.is_foreign() ? contents_.printable[index] : lmdb_key(index);
  }

  [[noreturn]] void fail(std::size_t index, std::string_view problem) const {
    throw FormatError({.file = path_, .record = index}, problem);
  }

  const std::string& path_;
  const LmdbContents& contents_;
  LmdbTransaction transaction_;
};

class LmdbReader final : public RecordReader {
 public:
  LmdbReader(const fs::path& path, const ReadOptions& options)
      : path_(data_file(path).string()),
        database_(path_, options.order),
        contents_(read_contents(database_, path_)) {}

  std::string_view format() const noexcept override { return "lmdb"; }
  std::size_t size() const noexcept override { return contents_.records; }
  Payload payload() const noexcept override { return Payload::kEncoded; }
  const std::vector<std::string>& class_names() const noexcept override {
    return contents_.class_names;
  }
  std::vector<fs::path> files() const override { return {path_}; }
  DataLocation locate(std::size_t index) const override { return {.file = path_, .record = index}; }

  std::string layout() const override {
    if (!contents_.is_foreign()) return "LMDB, feedrate's layout";
    std::string text = "LMDB, one image file per value, no labels";
    if (contents_.skipped > 0) text += fmt::format(", {} other values skipped", contents_.skipped);
    return text;
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<LmdbCursor>(path_, contents_, database_);
  }

 private:
  std::string path_;
  LmdbDatabase database_;
  LmdbContents contents_;
};

}  // namespace

std::unique_ptr<RecordReader> open_lmdb_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<LmdbReader>(path, options);
}

}  // namespace feedrate
