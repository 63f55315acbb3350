// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_contents.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/host/file.h"
#include "formats/array_names.h"
#include "formats/hdf5/hdf5_describe.h"
#include "formats/hdf5/hdf5_values.h"
#include "formats/keys.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

/// Deflate compresses at most 1032:1. A header that claims more is damaged.
constexpr std::uint64_t kMaxFilePacking = 1100;

constexpr std::string_view kExpected =
    "images must be variable-length uint8 (encoded) or uint8 N×H×W×3 (pixels)";

bool is_channel_count(std::uint64_t size) { return size == 1 || size == 3; }

bool holds_images(const Hdf5Dataset& dataset) {
  const auto& shape = dataset.shape;
  if (dataset.type == Hdf5Type::kVlenUint8) return shape.size() == 1;
  if (dataset.type != Hdf5Type::kUint8) return false;
  return shape.size() == 3 || (shape.size() == 4 && is_channel_count(shape[3]));
}

bool has_channels_first(const Hdf5Dataset& dataset) {
  const auto& shape = dataset.shape;
  return dataset.type == Hdf5Type::kUint8 && shape.size() == 4 && is_channel_count(shape[1]) &&
         !is_channel_count(shape[3]);
}

using Accepts = std::function<bool(const Hdf5Dataset&)>;

// The first dataset with one of these names. Skips names of coordinates that `accepts` refuses.
// Throws if its data are in other files.
const Hdf5Dataset* find_named(const std::vector<Hdf5Dataset>& datasets,
                              std::span<const std::string_view> names, const std::string& path,
                              const Accepts& accepts) {
  for (const std::string_view name : names) {
    const auto found = std::find_if(datasets.begin(), datasets.end(),
                                    [&](const Hdf5Dataset& d) { return d.name == name; });
    if (found == datasets.end()) continue;
    if (found->external.empty()) {
      if (is_coordinate_name(name) && !accepts(*found)) continue;
      return &*found;
    }
    throw FormatError(
        {.file = path},
        fmt::format(
            "{}, which is not supported; copy the data. In Python: f2[\"{}\"] = f[\"{}\"][:]",
            to_string(*found), found->name, found->name));
  }
  return nullptr;
}

std::string list(const std::vector<Hdf5Dataset>& datasets) {
  if (datasets.empty()) return "it has no dataset";
  constexpr std::size_t kMostListed = 10;
  std::string text = "found";
  for (std::size_t i = 0; i < std::min(datasets.size(), kMostListed); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", to_string(datasets[i]));
  }
  if (datasets.size() <= kMostListed) return text;
  return text + fmt::format(" and {} more", datasets.size() - kMostListed);
}

[[noreturn]] void fail_without_images(hid_t file, std::vector<Hdf5Dataset> datasets,
                                      const std::string& path) {
  const auto transposed = std::find_if(datasets.begin(), datasets.end(), has_channels_first);
  if (transposed != datasets.end()) {
    throw FormatError({.file = path},
                      fmt::format("{} has its channels first; images must be N×H×W×C. In Python: "
                                  "f2[\"images\"] = f[\"{}\"][:].transpose(0, 2, 3, 1)",
                                  to_string(*transposed), transposed->name));
  }
  const std::vector<Hdf5Dataset> nested = list_nested_hdf5_datasets(file, path);
  datasets.insert(datasets.end(), nested.begin(), nested.end());
  throw FormatError(
      {.file = path},
      fmt::format(
          "no records: no dataset holds images; {}; {}, in the root group, named \"images\" or "
          "the only one of its kind",
          list(datasets), kExpected));
}

// The only dataset that holds images; several links to it count as one. Null if none or several.
const Hdf5Dataset* only_images(const std::vector<Hdf5Dataset>& datasets) {
  const Hdf5Dataset* only = nullptr;
  for (const Hdf5Dataset& dataset : datasets) {
    if (!holds_images(dataset)) continue;
    if (only != nullptr && only->address != dataset.address) return nullptr;
    if (only == nullptr) only = &dataset;
  }
  return only;
}

const Hdf5Dataset& choose_images(hid_t file, const std::vector<Hdf5Dataset>& datasets,
                                 const std::string& path) {
  const Hdf5Dataset* images =
      find_named(datasets, kImageArrayNames, path, [](const Hdf5Dataset& named) {
        return named.shape.size() > 1 || named.type == Hdf5Type::kVlenUint8;
      });
  if (images == nullptr) images = only_images(datasets);
  if (images == nullptr || !holds_images(*images)) fail_without_images(file, datasets, path);
  return *images;
}

std::uint64_t elements(const Hdf5Dataset& dataset, const std::string& path) {
  std::uint64_t product = 1;
  for (const std::uint64_t size : dataset.shape) {
    if (__builtin_mul_overflow(product, size, &product)) {
      throw FormatError({.file = path}, fmt::format("{}: is impossibly large", to_string(dataset)));
    }
  }
  return product;
}

// Compares a dataset's claimed size with the file's, before memory is allocated.
void require_plausible(const Hdf5Dataset& dataset, std::uint64_t file_bytes,
                       const std::string& path) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(elements(dataset, path), std::uint64_t{dataset.element_bytes},
                             &bytes) ||
      bytes / kMaxFilePacking > file_bytes) {
    throw FormatError({.file = path}, fmt::format("{}: does not fit in a file of {} bytes",
                                                  to_string(dataset), file_bytes));
  }
}

Hdf5Handle open_dataset_named(hid_t file, const std::string& name, const std::string& path) {
  Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  check_hdf5_read(dataset.get(), {.file = path}, fmt::format("cannot open \"{}\"", name));
  return dataset;
}

void describe_shape(const Hdf5Dataset& images, Hdf5Contents& contents, const std::string& path) {
  contents.images = images.name;
  contents.records = images.shape.front();
  contents.rank = images.shape.size();
  if (images.type == Hdf5Type::kVlenUint8) return;
  contents.kind = Hdf5Kind::kDecoded;
  std::uint64_t bytes = 1;
  for (const std::uint64_t size : std::span(images.shape).subspan(1)) {
    if (size == 0 || size > std::uint64_t{std::numeric_limits<int>::max()}) {
      throw FormatError({.file = path},
                        fmt::format("{}: not a valid image shape", to_string(images)));
    }
    if (__builtin_mul_overflow(bytes, size, &bytes)) bytes = kMaxRecordBytes + 1;
    require_plausible_size(bytes, {.file = path});
  }
  contents.shape = {.height = static_cast<int>(images.shape[1]),
                    .width = static_cast<int>(images.shape[2]),
                    .channels = contents.rank == 4 ? static_cast<int>(images.shape[3]) : 1};
}

// Whether all 8 bits count, so that HDF5 would not convert them.
bool holds_plain_bytes(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  return type.get() >= 0 &&
         (H5Tequal(type.get(), H5T_STD_U8LE) > 0 || H5Tequal(type.get(), H5T_STD_U8BE) > 0);
}

// Empty if only HDF5 can read the pixels: never written, converted, or not whole in the file.
std::optional<std::uint64_t> offset_of_pixels(hid_t dataset, const Hdf5Contents& contents,
                                              std::uint64_t file_bytes) {
  const haddr_t offset = H5Dget_offset(dataset);
  const std::size_t size = contents.shape.size();
  if (offset == HADDR_UNDEF || offset > file_bytes || !holds_plain_bytes(dataset) ||
      H5Dget_storage_size(dataset) / size < contents.records ||
      (file_bytes - offset) / size < contents.records) {
    return std::nullopt;
  }
  return offset;
}

void describe_storage(hid_t dataset, std::uint64_t file_bytes, Hdf5Contents& contents,
                      const std::string& path) {
  const Hdf5Handle plan(H5Dget_create_plist(dataset), H5Pclose);
  check_hdf5_read(plan.get(), {.file = path}, "cannot read the layout of images");
  const H5D_layout_t layout = H5Pget_layout(plan.get());
  if (layout == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(contents.rank);
    check_hdf5_read(H5Pget_chunk(plan.get(), static_cast<int>(chunk.size()), chunk.data()),
                    {.file = path}, "cannot read the chunks of images");
    contents.chunk.assign(chunk.begin(), chunk.end());
  }
  if (layout == H5D_CONTIGUOUS && contents.kind == Hdf5Kind::kDecoded) {
    contents.kind = Hdf5Kind::kContiguous;
    contents.first_byte = offset_of_pixels(dataset, contents, file_bytes);
  }
}

void read_labels(hid_t file, const std::vector<Hdf5Dataset>& datasets, std::uint64_t file_bytes,
                 Hdf5Contents& contents, const std::string& path) {
  const Hdf5Dataset* labels = find_named(
      datasets, kLabelArrayNames, path,
      [&](const Hdf5Dataset& named) { return elements(named, path) == contents.records; });
  if (labels == nullptr) {
    contents.labels.assign(contents.records, kNoLabel);
    return;
  }
  const bool integers = labels->type == Hdf5Type::kInteger || labels->type == Hdf5Type::kUint8;
  if (!integers || elements(*labels, path) != contents.records) {
    throw FormatError({.file = path}, fmt::format("{}: expected {} integers, one per record",
                                                  to_string(*labels), contents.records));
  }
  require_plausible(*labels, file_bytes, path);
  std::erase(contents.unread, labels->name);
  contents.labels = read_hdf5_integers(open_dataset_named(file, labels->name, path).get(),
                                       contents.records, path);
}

void read_keys(hid_t file, const std::vector<Hdf5Dataset>& datasets, std::uint64_t file_bytes,
               Hdf5Contents& contents, const std::string& path) {
  constexpr std::array<std::string_view, 1> kNames{"keys"};
  const Hdf5Dataset* keys =
      find_named(datasets, kNames, path, [](const auto& /*keys*/) { return true; });
  if (keys == nullptr) {
    for (std::size_t i = 0; i < contents.records; ++i)
      contents.keys.push_back(fmt::format("{:06}", i));
    return;
  }
  if (keys->type != Hdf5Type::kString || elements(*keys, path) != contents.records) {
    throw FormatError({.file = path}, fmt::format("{}: expected {} strings, one per record",
                                                  to_string(*keys), contents.records));
  }
  require_plausible(*keys, file_bytes, path);
  std::erase(contents.unread, keys->name);
  contents.keys =
      read_hdf5_strings(open_dataset_named(file, keys->name, path).get(), contents.records, path);
  const auto repeated = make_keys_unique(
      contents.keys, [&](std::size_t i) { return fmt::format("{}#{}", contents.keys[i], i); });
  if (repeated) {
    throw FormatError({.file = path, .record = *repeated}, "two records have the same key");
  }
}

}  // namespace

Hdf5Handle open_hdf5_file(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_hdf5_read(access.get(), {.file = path}, "cannot open");
#if H5_VERSION_GE(1, 10, 7)
  check_hdf5_read(H5Pset_file_locking(access.get(), 0, 1), {.file = path}, "cannot open");
#endif
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  check_hdf5_read(file.get(), {.file = path}, "cannot open as HDF5");
  return file;
}

Hdf5Contents read_hdf5_contents(const std::string& path) {
  const std::uint64_t file_bytes = open_regular_file(path).size;
  const Hdf5Session session;
  const Hdf5Handle file = open_hdf5_file(path);
  const std::vector<Hdf5Dataset> datasets = list_hdf5_datasets(file.get(), path);
  const Hdf5Dataset& images = choose_images(file.get(), datasets, path);
  require_plausible(images, file_bytes, path);
  Hdf5Contents contents;
  describe_shape(images, contents, path);
  if (contents.records == 0) {
    throw FormatError({.file = path}, fmt::format("no records: {} is empty", to_string(images)));
  }
  describe_storage(open_dataset_named(file.get(), images.name, path).get(), file_bytes, contents,
                   path);
  for (const Hdf5Dataset& dataset : datasets) {
    if (dataset.address != images.address) contents.unread.push_back(dataset.name);
  }
  read_labels(file.get(), datasets, file_bytes, contents, path);
  read_keys(file.get(), datasets, file_bytes, contents, path);
  contents.class_names = read_hdf5_string_attribute(file.get(), "class_names", path);
  return contents;
}

}  // namespace feedrate
