#include "formats/npy/npy_reader.h"

#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/folder/folder_reader.h"
#include "formats/keys.h"
#include "formats/npy/npy_header.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::optional<std::string_view> npy_stem(std::string_view name) noexcept {
  constexpr std::string_view kExtension = ".npy";
  if (!name.ends_with(kExtension)) return std::nullopt;
  name.remove_suffix(kExtension.size());
  if (name.empty() || name.ends_with('/')) return std::nullopt;
  return name;
}

Record parse_npy(Bytes file, const DataLocation& location) {
  const NpyHeader header = parse_npy_header(file, location);
  const Bytes pixels = file.subspan(header.size);
  if (pixels.size() != header.shape.size()) {
    throw FormatError(location, fmt::format("has {} bytes of pixels; {}×{}×{} need {}",
                                            pixels.size(), header.shape.height, header.shape.width,
                                            header.shape.channels, header.shape.size()));
  }
  return {.payload = pixels, .key = {}, .kind = Payload::kPixels, .shape = header.shape};
}

constexpr FolderKind kNpyFolder{.format = "npy",
                                .payload = Payload::kPixels,
                                .files = {.stem = npy_stem, .extensions = ".npy"},
                                .parse = parse_npy};

}  // namespace

// Each file is read whole, by one call: the kernel has nothing to read ahead.
std::unique_ptr<RecordReader> open_npy_reader(const fs::path& path,
                                              const ReadOptions& /*options*/) {
  return open_folder_of(kNpyFolder, path);
}

bool looks_like_npy(const fs::path& path) {
  constexpr int kMostEntries = 1000;
  constexpr auto kOptions = fs::directory_options::follow_directory_symlink;
  std::error_code error;
  int seen = 0;
  for (fs::recursive_directory_iterator entry(path, kOptions, error), end;
       !error && entry != end && seen < kMostEntries; entry.increment(error), ++seen) {
    const std::string name = entry->path().filename().string();
    if (npy_stem(name)) return true;
    if (image_stem(name)) return false;
  }
  return false;
}

}  // namespace feedrate
