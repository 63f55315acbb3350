// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/cache.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"
#include "core/host/file_lock.h"
#include "core/temporary_folder.h"
#include "formats/datasets/convert.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSkippedHeading = "skipped\n";
constexpr std::uint64_t kMaxStampBytes = std::uint64_t{1} << 30;

/// `path` without trailing slash, and canonical if it has no name of its own.
fs::path named_path(const fs::path& path) {
  const fs::path named = path.has_filename() ? path : path.parent_path();
  const bool has_name = named.has_filename() && named.filename() != "." && named.filename() != "..";
  return has_name ? named : fs::canonical(path);
}

bool is_own(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

bool is_own_or_missing(const fs::path& path) {
  struct stat link {};
  struct stat target {};
  if (::lstat(path.c_str(), &link) != 0) return true;
  return is_own(link) && (::stat(path.c_str(), &target) != 0 || is_own(target));
}

std::string name_of(const Format& format, const CopyOptions& options) {
  std::string name(format.name);
  if (options.sample_points) name += fmt::format("-{}-points", *options.sample_points);
  if (options.chunk > 0) name += fmt::format("-chunk-{}", options.chunk);
  if (!options.codec.empty()) name += "-" + options.codec;
  return name;
}

ConvertOptions conversion_to(const Format& format, const CopyOptions& options) {
  ConvertOptions conversion{.format = std::string(format.name),
                            .sample_points = options.sample_points};
  if (options.chunk > 0) conversion.chunk = options.chunk;
  if (!options.codec.empty()) conversion.codec = options.codec;
  return conversion;
}

class CacheEntry {
 public:
  CacheEntry(const fs::path& dataset, const RecordReader& source, const Format& format,
             CopyOptions options)
      : dataset_(named_path(dataset)),
        source_(source),
        format_(format),
        options_(std::move(options)),
        name_(name_of(format_, options_)),
        cache_(dataset_.string() + ".feedrate"),
        folder_(cache_ / name_),
        data_name_(dataset_.filename().string() + std::string(format.suffix)),
        stamp_(source_stamp(source, dataset_)) {}

  // Refuses copies that another user could have forged: a sweep would measure them.
  void require_own() const {
    for (const fs::path& folder : {cache_, folder_}) {
      if (is_own_or_missing(folder)) continue;
      throw ConfigError(
          fmt::format("{}: belongs to another user and is not trusted; remove it, or {}",
                      folder.string(), remedy()));
    }
  }

  std::optional<PreparedDataset> find() const {
    std::error_code error;
    const fs::path stamp_file = folder_ / kStampName;
    if (!fs::exists(stamp_file, error) || !fs::exists(folder_ / data_name_, error)) {
      return std::nullopt;
    }
    const std::string text = read_text_file(stamp_file.string(), kMaxStampBytes);
    const std::string expected = stamp_ + kSkippedHeading;
    if (!text.starts_with(expected)) return std::nullopt;
    PreparedDataset result{.path = folder_ / data_name_};
    std::istringstream lines(text.substr(expected.size()));
    for (std::string line; std::getline(lines, line);) result.skipped.push_back(line);
    return result;
  }

  PreparedDataset build(const Job& job) const {
    const std::optional<FileLock> lock = take_lock(job);
    if (std::optional<PreparedDataset> other = find()) return *other;  // Another process made it.
    const TemporaryFolder draft(cache_ / fmt::format(".{}.part-", name_));
    const fs::path made = draft.path() / "copy";  // Its parent is private to this user.
    create_folders(made);
    const ConvertResult converted =
        convert_dataset(source_, made / data_name_, conversion_to(format_, options_), job);
    write_stamp(made, converted.skipped);
    publish(made);
    return {.path = folder_ / data_name_, .converted = true, .skipped = converted.skipped};
  }

 private:
  static constexpr const char* kStampName = "source.txt";

  std::optional<FileLock> take_lock(const Job& job) const try {
    return std::optional<FileLock>(std::in_place, cache_ / fmt::format("{}.lock", name_), job.stop);
  } catch (const SystemError& error) {
    throw ConfigError(
        fmt::format("{}; the copy of {} in format {} is cached there: make it writable, or {}",
                    error.what(), dataset_.string(), format_.name, remedy()));
  }

  std::string remedy() const {
    return fmt::format(
        "run \"feedrate data convert {} DST --format {}\" and set dataset.path to DST",
        dataset_.string(), format_.name);
  }

  void write_stamp(const fs::path& folder, const std::vector<std::string>& skipped) const {
    std::string text = stamp_ + kSkippedHeading;
    for (std::string message : skipped) {
      std::replace(message.begin(), message.end(), '\n', ' ');
      text += message + '\n';
    }
    write_new_file((folder / kStampName).string(), text);
  }

  // Replaces a stale copy only when the new one is complete.
  void publish(const fs::path& made) const {
    const TemporaryFolder old(cache_ / fmt::format(".{}.old-", name_));
    std::error_code error;
    if (fs::exists(folder_, error)) rename(folder_, old.path() / "copy");
    rename(made, folder_);
    sync_path(cache_);
  }

  static void rename(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) throw SystemError(to.string(), "cannot move into place", error.value());
  }

  fs::path dataset_;
  const RecordReader& source_;
  const Format& format_;
  CopyOptions options_;
  std::string name_;
  fs::path cache_;
  fs::path folder_;
  std::string data_name_;
  std::string stamp_;
};

}  // namespace

PreparedDataset prepare_dataset(const fs::path& path, std::string_view wanted, const Job& job,
                                const CopyOptions& options) {
  const Format& format = find_format(wanted);
  const std::unique_ptr<RecordReader> source = open_dataset(path);
  PreparedDataset prepared{.path = path};
  if (source->format() != format.name || options != CopyOptions{}) {
    const CacheEntry entry(path, *source, format, options);
    entry.require_own();
    std::optional<PreparedDataset> present = entry.find();
    prepared = present ? std::move(*present) : entry.build(job);
  }
  prepared.left_out = source->left_out();
  return prepared;
}

}  // namespace feedrate
