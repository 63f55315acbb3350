// SPDX-License-Identifier: Apache-2.0
#include "formats/registry.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/formats.h"
#include "formats/packed_file.h"
#include "formats/remote/remote_path.h"
#include "formats/shards.h"
#include "formats/storage.h"
#include "formats/zarr/zarr_metadata.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

bool has_suffix(const fs::path& path, std::string_view suffix) {
  return (path.has_filename() ? path : path.parent_path()).filename().string().ends_with(suffix);
}

bool has_magic(const fs::path& path, std::uint64_t offset, std::string_view magic) {
  try {
    PackedReads reads;
    const Bytes bytes = reads.read(reads.open(path.string()), offset, magic.size());
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == magic;
  } catch (const Error&) {
    return false;  // Opening the dataset reports the error.
  }
}

bool looks_like_lmdb(const fs::path& path) {
  if (has_suffix(path, ".lmdb")) return true;
  return is_folder(path) ? is_file_there(path / "data.mdb")
                         : has_magic(path, 16, "\xDE\xC0\xEF\xBE");
}

bool looks_like_tar(const fs::path& path) {
  if (is_folder(path)) return is_folder_of(is_tar_name, path);
  constexpr std::array<std::string_view, 6> kSuffixes{".tar",     ".tar.gz",  ".tgz",
                                                      ".tar.zst", ".tar.bz2", ".tar.xz"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return has_suffix(path, suffix); }) ||
         has_magic(path, 257, "ustar");
}

bool looks_like_hdf5(const fs::path& path) {
  if (is_folder(path)) return false;
  return has_suffix(path, ".h5") || has_suffix(path, ".hdf5") ||
         has_magic(path, 0, "\x89HDF\r\n\x1A\n");
}

bool looks_like_zip(const fs::path& path) {
  return !is_folder(path) && (has_suffix(path, ".zip") || has_magic(path, 0, "PK\3\4"));
}

bool looks_like_folder(const fs::path& path) {
  return is_folder(path) && !looks_like_lmdb(path) && !looks_like_tar(path) &&
         !looks_like_tfrecord(path) && !looks_like_npy(path) && !looks_like_npz(path) &&
         !looks_like_zarr(path);
}

constexpr std::array<Format, 11> kFormats{{
    {"folder", "a file per image, in class folders or with labels.csv", "", Payload::kEncoded,
     false, looks_like_folder, open_folder_reader, create_folder_writer},
    {"tar", "uncompressed shards, as in WebDataset", ".tar", Payload::kEncoded, false,
     looks_like_tar, open_tar_reader, create_tar_writer},
    {"lmdb", "a memory-mapped B+ tree", ".lmdb", Payload::kEncoded, false, looks_like_lmdb,
     open_lmdb_reader, create_lmdb_writer, false, false},
    {"hdf5", "HDF5, encoded images of variable length", ".h5", Payload::kEncoded, false,
     looks_like_hdf5, open_hdf5_reader, create_hdf5_encoded_writer, false, false},
    {"hdf5-decoded", "HDF5, pixels in chunks", ".h5", Payload::kPixels, true, looks_like_hdf5,
     open_hdf5_reader, create_hdf5_decoded_writer, false, false},
    {"hdf5-contiguous", "HDF5, contiguous pixels", ".h5", Payload::kPixels, true, looks_like_hdf5,
     open_hdf5_reader, create_hdf5_contiguous_writer, false, false},
    {"tfrecord", "TFRecord files of tf.train.Example", ".tfrecord", Payload::kEncoded, false,
     looks_like_tfrecord, open_tfrecord_reader, create_tfrecord_writer, true},
    {"zip", "a folder in one uncompressed ZIP file", ".zip", Payload::kEncoded, false,
     looks_like_zip, open_zip_reader, create_zip_writer},
    {"npy", "pixels in a .npy file per image, in class folders or with labels.csv", "",
     Payload::kPixels, false, looks_like_npy, open_npy_reader, create_npy_writer},
    {"npz", "opaque bytes in a .npz file per record, as in DLIO", "", Payload::kBytes, false,
     looks_like_npz, open_npz_reader, create_npz_writer},
    {"zarr", "Zarr, pixels in a file per chunk", ".zarr", Payload::kPixels, true, looks_like_zarr,
     open_zarr_reader, create_zarr_writer},
}};

std::string known_names() {
  std::string names;
  for (const Format& format : kFormats)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::optional<Payload> payload_in(const Format& format, Payload source) noexcept {
  const bool takes_bytes = format.bytes_too || format.payload == Payload::kBytes;
  if (source == Payload::kBytes) return takes_bytes ? std::optional(source) : std::nullopt;
  return format.payload != Payload::kBytes ? std::optional(format.payload) : std::nullopt;
}

const Format& find_format(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& format) { return format.name == name; });
  if (found == kFormats.end()) {
    throw ConfigError(
        fmt::format("format \"{}\": unknown format; supported: {}", name, known_names()));
  }
  return *found;
}

std::unique_ptr<RecordReader> open_dataset(const fs::path& path, const ReadOptions& options) {
  if (!is_there(path)) throw ConfigError(fmt::format("{}: no such dataset", path.string()));
  for (const Format& format : kFormats) {
    if (!format.detect(path)) continue;
    if (is_remote(path.native()) && !format.on_servers) {
      throw ConfigError(
          fmt::format("{}: {} is read from files only; copy it to this machine, or "
                      "convert it to tar, zip, tfrecord, zarr or a folder",
                      path.string(), format.name));
    }
    return format.open(path, options);
  }
  throw ConfigError(
      fmt::format("{}: unknown dataset format; supported: {}; Parquet, Lance and MDS are read by "
                  "dataset.torch, as feedrate.adapters.parquet:open",
                  path.string(), known_names()));
}

}  // namespace feedrate
