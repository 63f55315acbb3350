// SPDX-License-Identifier: Apache-2.0
// The readers and writers of the formats, for the registry. All may be called from any thread.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"
#include "formats/record_writer.h"

namespace feedrate {

/// Opens a dataset. Throws FormatError if it is damaged or has no records.
using OpenReader = std::unique_ptr<RecordReader>(const std::filesystem::path& path,
                                                 const ReadOptions& options);
/// Begins a dataset. Throws ConfigError if `path` exists, or an option is missing or not valid.
using CreateWriter = std::unique_ptr<RecordWriter>(const std::filesystem::path& path,
                                                   const WriterOptions& options);

/// Images in class folders, a folder with labels.csv, or a flat folder without labels. Throws
/// ConfigError for labels.pkl without labels.csv.
OpenReader open_folder_reader;
CreateWriter create_folder_writer;

/// A tar file or a folder of shards. The writer makes one file if `path` ends in ".tar", else
/// shards of about `shard_bytes`.
OpenReader open_tar_reader;
CreateWriter create_tar_writer;
[[nodiscard]] bool is_tar_name(const std::filesystem::path& file);

/// A folder with data.mdb, or the database file itself. Payloads are views of the mapping, valid as
/// long as the cursor.
OpenReader open_lmdb_reader;
CreateWriter create_lmdb_writer;

/// The file's kind decides RecordReader::format().
OpenReader open_hdf5_reader;
CreateWriter create_hdf5_encoded_writer;
CreateWriter create_hdf5_decoded_writer;     ///< needs `shape`; `chunk` samples a chunk
CreateWriter create_hdf5_contiguous_writer;  ///< needs `shape` and `records`

/// A file or a folder of shards. The writer makes one file if `path` ends in ".tfrecord" or
/// ".tfrecords", else shards of about `shard_bytes`.
OpenReader open_tfrecord_reader;
CreateWriter create_tfrecord_writer;
/// Whether a file's name ends in ".tfrecord", ".tfrecords" or, as with TensorFlow's converters,
/// "-00003-of-00010".
[[nodiscard]] bool is_tfrecord_name(const std::filesystem::path& file);
/// Whether `path` is a folder of such files, without images and folders; a file of such a name,
/// plain or gzipped; or a file that begins with a length and its checksum.
[[nodiscard]] bool looks_like_tfrecord(const std::filesystem::path& path);

OpenReader open_zip_reader;
CreateWriter create_zip_writer;

/// A folder of .npy files, of pixels of any shape each.
OpenReader open_npy_reader;
CreateWriter create_npy_writer;
/// Whether `path` is a folder whose first possible record, among 1000 entries, is a .npy file.
[[nodiscard]] bool looks_like_npy(const std::filesystem::path& path);

/// A folder of .npz files, of opaque bytes.
OpenReader open_npz_reader;
CreateWriter create_npz_writer;
/// Whether `path` is such a folder of .npz files; see looks_like_npy().
[[nodiscard]] bool looks_like_npz(const std::filesystem::path& path);

/// The writer needs `shape`; `chunk` samples a chunk, compressed by `codec`.
OpenReader open_zarr_reader;
CreateWriter create_zarr_writer;

}  // namespace feedrate
