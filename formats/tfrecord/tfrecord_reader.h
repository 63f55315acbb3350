// SPDX-License-Identifier: Apache-2.0
// Reads TFRecord files of tf.train.Example, at random through an index.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is a file or a folder of shards. Throws FormatError if a file is damaged or compressed,
/// or if there are no records.
[[nodiscard]] std::unique_ptr<RecordReader> open_tfrecord_reader(const std::filesystem::path& path,
                                                                 const ReadOptions& options);

/// Whether a file's name ends in ".tfrecord", ".tfrecords" or, as with TensorFlow's converters,
/// "-00003-of-00010".
[[nodiscard]] bool is_tfrecord_name(const std::filesystem::path& file);

/// Whether `path` is a folder of such files, without images and folders; a file of such a name,
/// plain or gzipped; or a file that begins with a length and its checksum.
[[nodiscard]] bool looks_like_tfrecord(const std::filesystem::path& path);

}  // namespace feedrate
