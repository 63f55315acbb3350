// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "core/error.h"
#include "formats/class_list.h"
#include "formats/folder/labels_csv.h"
#include "formats/keys.h"
#include "formats/record.h"
#include "formats/remote/objects.h"
#include "formats/remote/remote_path.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCsvBytes = std::uint64_t{1} << 30;

struct Names {
  std::vector<std::string> images;
  std::vector<std::string> folders;
};

// A dangling link is no folder. Any other error is thrown: a class must not vanish silently.
bool leads_to_folder(const fs::directory_entry& entry) {
  std::error_code error;
  const bool is_folder = entry.is_directory(error);
  if (!error || error == std::errc::no_such_file_or_directory ||
      error == std::errc::too_many_symbolic_link_levels) {
    return is_folder;
  }
  throw SystemError(entry.path().string(), "cannot stat", error.value());
}

// Number of images that feedrate cannot read, by extension.
using LeftOut = std::map<std::string, std::size_t>;

constexpr std::array<std::string_view, 7> kOtherImages{".webp", ".bmp", ".tif", ".tiff",
                                                       ".gif",  ".ppm", ".pgm"};

void note_left_out(const fs::path& name, LeftOut& left_out) {
  std::string extension = name.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_image =
      std::find(kOtherImages.begin(), kOtherImages.end(), extension) != kOtherImages.end();
  if (is_image) ++left_out[extension];
}

std::string to_text(const LeftOut& left_out, std::size_t beside_folders) {
  std::vector<std::string> parts;
  for (const auto& [extension, count] : left_out) {
    parts.push_back(fmt::format("{} {}", count, extension));
  }
  if (beside_folders > 0) {
    parts.push_back(fmt::format("{} file{} outside the class folders", beside_folders,
                                beside_folders == 1 ? "" : "s"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Follows symbolic links, as ImageFolder does.
Names names_in(const fs::path& folder, const FileKind& kind, LeftOut& left_out) {
  Names names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (leads_to_folder(*entry)) {
      names.folders.push_back(name);
    } else if (kind.stem(name)) {
      names.images.push_back(name);
    } else {
      note_left_out(name, left_out);
    }
  }
  if (error) throw SystemError(folder.string(), "cannot list", error.value());
  return names;
}

using FolderId = std::pair<dev_t, ino_t>;

FolderId identify(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    throw SystemError(folder.string(), "cannot stat", errno);
  }
  return {status.st_dev, status.st_ino};
}

// Visits each folder once: links may form cycles, and a few that point to one another make millions
// of paths.
void collect(const fs::path& root, const std::string& folder, const FileKind& kind,
             std::set<FolderId>& visited, std::vector<std::string>& images, LeftOut& left_out) {
  if (!visited.insert(identify(root / folder)).second) return;
  Names names = names_in(root / folder, kind, left_out);
  std::sort(names.folders.begin(), names.folders.end());  // Makes the chosen path deterministic.
  for (const std::string& name : names.images) images.push_back(folder + '/' + name);
  for (const std::string& name : names.folders) {
    collect(root, fmt::format("{}/{}", folder, name), kind, visited, images, left_out);
  }
}

struct ClassFile {
  std::size_t label;
  std::string_view folder;
  std::string_view name;
  const std::string* path;
};

// ImageFolder's order: by class, then by the path of the folder, then by name.
FolderListing list_classes(std::vector<std::string> class_names,
                           const std::vector<std::string>& images) {
  std::sort(class_names.begin(), class_names.end());
  std::vector<ClassFile> files;
  for (const std::string& path : images) {
    const std::string_view view = path;
    const std::size_t slash = view.find('/');
    if (slash == std::string_view::npos) continue;
    const auto found =
        std::lower_bound(class_names.begin(), class_names.end(), view.substr(0, slash));
    const std::size_t last = view.rfind('/');
    files.push_back({static_cast<std::size_t>(found - class_names.begin()), view.substr(0, last),
                     view.substr(last + 1), &path});
  }
  std::sort(files.begin(), files.end(), [](const ClassFile& a, const ClassFile& b) {
    return std::tie(a.label, a.folder, a.name) < std::tie(b.label, b.folder, b.name);
  });
  FolderListing listing;
  for (const ClassFile& file : files) {
    listing.entries.push_back({*file.path, {}, static_cast<std::int64_t>(file.label)});
  }
  listing.layout = fmt::format("one file per image, in {} class folders", class_names.size());
  listing.class_names = std::move(class_names);
  return listing;
}

FolderListing list_flat(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  FolderListing listing{
      .entries = {}, .class_names = {}, .layout = "one file per image, no labels"};
  for (std::string& name : names) listing.entries.push_back({std::move(name), {}, kNoLabel});
  return listing;
}

std::string name_in_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// One deep listing is enough: servers have no links, and folders only as parts of keys.
Names objects_below(const fs::path& root, const FileKind& kind, LeftOut& left_out) {
  Names names;
  for (ListedObject& object : RemoteObjects().list(root.string(), true).objects) {
    const std::size_t slash = object.key.find('/');
    if (slash != std::string::npos) names.folders.push_back(object.key.substr(0, slash));
    const std::string name = name_in_folder(object.key);
    if (!kind.stem(name)) {
      note_left_out(name, left_out);
    } else {
      names.images.push_back(std::move(object.key));
    }
  }
  std::sort(names.folders.begin(), names.folders.end());
  names.folders.erase(std::unique(names.folders.begin(), names.folders.end()), names.folders.end());
  return names;
}

Names names_below(const fs::path& root, const FileKind& kind, LeftOut& left_out) {
  if (is_remote(root.native())) return objects_below(root, kind, left_out);
  Names names = names_in(root, kind, left_out);
  for (const std::string& folder : names.folders) {
    std::set<FolderId> visited;  // Two classes may be links to one folder.
    collect(root, folder, kind, visited, names.images, left_out);
  }
  return names;
}

std::size_t count_at_root(const std::vector<std::string>& images) {
  return static_cast<std::size_t>(
      std::count_if(images.begin(), images.end(),
                    [](const std::string& path) { return path.find('/') == std::string::npos; }));
}

FolderListing list_directories(const fs::path& root, const FileKind& kind) {
  LeftOut left_out;
  Names names = names_below(root, kind, left_out);
  const std::size_t at_root = count_at_root(names.images);
  FolderListing listing = list_files(std::move(names.folders), std::move(names.images), kind);
  listing.left_out = to_text(left_out, listing.class_names.empty() ? 0 : at_root);
  return listing;
}

// Images that labels.csv does not list. Unreadable folders are no error: labels.csv may list
// nothing in them.
std::string unlisted_text(const fs::path& root, const FileKind& kind,
                          const std::vector<FolderEntry>& entries) try {
  std::unordered_set<std::string_view> listed;
  for (const FolderEntry& entry : entries) listed.insert(entry.path);
  LeftOut others;
  const std::vector<std::string> images = names_below(root, kind, others).images;
  const auto count = std::count_if(images.begin(), images.end(), [&](const std::string& path) {
    return listed.count(path) == 0;
  });
  if (count == 0) return {};
  return fmt::format("{} file{} that labels.csv does not list", count, count == 1 ? "" : "s");
} catch (const SystemError&) {
  return {};
}

FolderListing list_by_csv(const fs::path& root, const FileKind& kind) {
  const std::string labels = (root / "labels.csv").string();
  FolderListing listing = list_labelled(read_text_at(labels, kMaxCsvBytes),
                                        read_class_list(root / "classes.txt"), labels, kind);
  listing.left_out = unlisted_text(root, kind, listing.entries);
  return listing;
}

void refuse_pickle(const fs::path& root) {
  const fs::path pickle = root / "labels.pkl";
  if (!is_file_there(pickle)) return;
  throw ConfigError(
      fmt::format("{}: pickled labels are not read, because unpickling runs code; write labels.csv "
                  "(columns filename,label) next to the images instead. For a pickled dict of "
                  "filename to label, run in {}: python3 -c \"import csv, pickle; "
                  "csv.writer(open('labels.csv', 'w', newline='')).writerows([('filename', "
                  "'label'), *pickle.load(open('labels.pkl', 'rb')).items()])\"",
                  pickle.string(), root.string()));
}

void set_keys(FolderListing& listing, const FileKind& kind) {
  std::vector<std::string> keys;
  keys.reserve(listing.entries.size());
  for (const FolderEntry& entry : listing.entries) {
    keys.emplace_back(kind.stem(entry.path).value_or(entry.path));
  }
  // Paths differ, so this cannot fail.
  (void)make_keys_unique(keys, [&](std::size_t i) { return listing.entries[i].path; });
  for (std::size_t i = 0; i < keys.size(); ++i) listing.entries[i].key = std::move(keys[i]);
}

}  // namespace

bool first_record_is(const FileKind& kind, const fs::path& folder) {
  constexpr int kMostEntries = 1000;
  if (is_remote(folder.native())) {
    for (const ListedObject& object :
         RemoteObjects().list(folder.string(), true, kMostEntries).objects) {
      const std::string name = name_in_folder(object.key);
      if (kind.stem(name)) return true;
      if (image_stem(name)) return false;
    }
    return false;
  }
  constexpr auto kOptions = fs::directory_options::follow_directory_symlink;
  std::error_code error;
  int seen = 0;
  for (fs::recursive_directory_iterator entry(folder, kOptions, error), end;
       !error && entry != end && seen < kMostEntries; entry.increment(error), ++seen) {
    const std::string name = entry->path().filename().string();
    if (kind.stem(name)) return true;
    if (image_stem(name)) return false;
  }
  return false;
}

FolderListing list_files(std::vector<std::string> class_names, std::vector<std::string> images,
                         const FileKind& kind) {
  FolderListing listing;
  if (!class_names.empty()) listing = list_classes(std::move(class_names), images);
  if (listing.entries.empty()) listing = list_flat(std::move(images));
  set_keys(listing, kind);
  return listing;
}

FolderListing list_labelled(std::string_view labels_csv, std::vector<std::string> class_names,
                            const std::string& path, const FileKind& kind) {
  LabelsCsv csv = parse_labels_csv(labels_csv, std::move(class_names), path);
  FolderListing listing{.entries = {},
                        .class_names = std::move(csv.class_names),
                        .layout = "one file per image, labels in labels.csv"};
  for (LabelledFile& file : csv.files) {
    listing.entries.push_back({std::move(file.filename), {}, file.label});
  }
  set_keys(listing, kind);
  return listing;
}

FolderListing list_folder(const fs::path& folder, const FileKind& kind) {
  const fs::path labels = folder / "labels.csv";
  const bool has_csv = is_file_there(labels);
  if (!has_csv) refuse_pickle(folder);
  FolderListing listing = has_csv ? list_by_csv(folder, kind) : list_directories(folder, kind);
  if (listing.entries.empty()) {
    throw FormatError(
        {.file = folder.string()},
        has_csv ? "no records: labels.csv lists no file"
                : fmt::format("no records: no {} file in the folder or in a folder "
                              "per class below it{}{}",
                              kind.extensions, listing.left_out.empty() ? "" : "; there are ",
                              listing.left_out));
  }
  return listing;
}

}  // namespace feedrate
