// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/stage.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"
#include "core/host/memory.h"
#include "core/host/page_cache.h"
#include "core/owner_mark.h"
#include "formats/shards.h"

namespace feedrate {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "feedrate-staged-";

std::string size_text(std::uint64_t bytes) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  const auto size = static_cast<double>(bytes);
  return size >= kGiga ? fmt::format("{:.3g} GB", size / kGiga)
                       : fmt::format("{:.3g} MB", size / kMega);
}

// The dataset's name, also for "data/photos/".
fs::path name_of(const fs::path& dataset) {
  const fs::path name = dataset.filename();
  return name.empty() ? dataset.parent_path().filename() : name;
}

bool is_in(const fs::path& folder, const fs::path& path) {
  const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

class Listing {
 public:
  explicit Listing(const fs::path& dataset)
      : root_(fs::canonical(dataset)), name_(name_of(dataset)) {}

  std::vector<StagedFile> list_folder() {
    const auto options = fs::directory_options::none;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_, options)) {
      add(entry);
    }
    return std::move(files_);
  }

  std::vector<StagedFile> list_file(const fs::path& dataset) {
    files_.push_back({root_, name_, fs::file_size(root_)});
    const fs::path classes = class_list_of(dataset);
    if (fs::is_regular_file(fs::symlink_status(classes))) {
      files_.push_back({classes, class_list_of(name_), fs::file_size(classes)});
    }
    return std::move(files_);
  }

 private:
  void add(const fs::directory_entry& entry) {
    const fs::path to = name_ / entry.path().lexically_relative(root_);
    switch (entry.symlink_status().type()) {
      case fs::file_type::directory:
        return;
      case fs::file_type::regular:
        files_.push_back({entry.path(), to, entry.file_size()});
        return;
      case fs::file_type::symlink:
        return add_link(entry.path(), to);
      default:
        throw FormatError(
            fmt::format("{}: cannot be staged; must be a file or a folder", entry.path().string()));
    }
  }

  void add_link(const fs::path& link, const fs::path& to) {
    const fs::path target = fs::canonical(link);
    if (!is_in(root_, target)) {
      throw FormatError(
          fmt::format("{}: is a symbolic link out of the dataset, to {}; dataset.staging copies "
                      "only files inside the dataset",
                      link.string(), target.string()));
    }
    if (!fs::is_regular_file(target)) {
      throw FormatError(fmt::format(
          "{}: is a symbolic link to a folder; dataset.staging follows only links to files",
          link.string()));
    }
    files_.push_back({target, to, fs::file_size(target)});
  }

  fs::path root_;
  fs::path name_;
  std::vector<StagedFile> files_;
};

void create_folders_of(const std::vector<StagedFile>& files, const fs::path& folder) {
  std::set<fs::path> folders;
  for (const StagedFile& file : files) folders.insert(file.to.parent_path());
  for (const fs::path& one : folders) create_folders(folder / one);
}

std::vector<fs::path> sources(const std::vector<StagedFile>& files) {
  std::vector<fs::path> paths;
  for (const StagedFile& file : files) paths.push_back(file.from);
  return paths;
}

void require_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw ConfigError(fmt::format(
      "{}: not a writable folder; set dataset.staging_folder to a local folder of this node",
      folder.string()));
}

}  // namespace

const char* to_string(StagingMode staging) noexcept {
  switch (staging) {
    case StagingMode::kCopy:
      return "copy";
    case StagingMode::kRam:
      return "ram";
    case StagingMode::kNone:
      break;
  }
  return "none";
}

StagingMode staging_from_string(std::string_view word) noexcept {
  if (word == "copy") return StagingMode::kCopy;
  return word == "ram" ? StagingMode::kRam : StagingMode::kNone;
}

fs::path default_staging_folder(StagingMode staging) {
  if (staging == StagingMode::kRam) return "/dev/shm";
  for (const char* const name : {"SLURM_TMPDIR", "TMPDIR"}) {
    const char* const folder = std::getenv(name);
    if (folder != nullptr && *folder != '\0') return folder;
  }
  return "/tmp";
}

std::vector<StagedFile> files_to_stage(const fs::path& dataset) {
  try {
    Listing listing(dataset);
    return fs::is_directory(dataset) ? listing.list_folder() : listing.list_file(dataset);
  } catch (const fs::filesystem_error& error) {
    throw SystemError(error.path1().string(), "cannot be staged", error.code().value());
  }
}

StagingSpace free_staging_space(const fs::path& folder, StagingMode staging) {
  StagingSpace space;
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) {
    throw SystemError(folder.string(), "cannot read its free space", errno);
  }
  space.bytes = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
  if (status.f_files > 0) space.files = status.f_favail;
  if (staging != StagingMode::kRam) return space;
  const MemoryInfo memory = read_memory_info();
  if (memory.total > 0) space.memory = memory.available;
  return space;
}

std::string why_no_space(const std::vector<StagedFile>& files, const StagingSpace& space,
                         const fs::path& folder) {
  constexpr std::uint64_t kBlock = 4096;
  std::uint64_t bytes = 0;
  for (const StagedFile& file : files) bytes += (file.bytes + kBlock - 1) / kBlock * kBlock;
  const auto message = [&](const std::string& problem) {
    return fmt::format("{}: {}; set dataset.staging_folder to another folder, or disable staging",
                       folder.string(), problem);
  };
  if (bytes > space.bytes) {
    return message(
        fmt::format("has {} free; the dataset needs {}", size_text(space.bytes), size_text(bytes)));
  }
  if (files.size() > space.files) {
    return message(
        fmt::format("has {} free inodes; the dataset has {} files", space.files, files.size()));
  }
  if (bytes > space.memory) {
    return message(fmt::format("{} of memory are available; the dataset needs {}",
                               size_text(space.memory), size_text(bytes)));
  }
  return {};
}

StagedDataset stage_dataset(const fs::path& dataset, StagingMode staging, const fs::path& folder,
                            const Job& job) {
  require_folder(folder);
  const std::vector<StagedFile> listed = files_to_stage(dataset);
  drop_page_cache(sources(listed));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<StagedFile> files = files_to_stage(dataset);
  const std::string problem = why_no_space(files, free_staging_space(folder, staging), folder);
  if (!problem.empty()) throw ConfigError(problem);
  StagedDataset staged;
  staged.folder = std::make_shared<const TemporaryFolder>(folder / kPrefix);
  staged.path = staged.folder->path() / name_of(dataset);
  for (const StagedFile& file : files) staged.bytes += file.bytes;
  job.start(fmt::format("staging to {}", folder.string()), files.size());
  create_folders_of(files, staged.folder->path());
  copy_files(files, staged.folder->path(), job);
  staged.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  sync_filesystem(staged.path);  // Write back now, so that no cell waits for it.
  return staged;
}

void remove_stale_copies() noexcept {
  for (const StagingMode mode : {StagingMode::kCopy, StagingMode::kRam}) {
    remove_left_behind(default_staging_folder(mode), kPrefix);
  }
}

}  // namespace feedrate
