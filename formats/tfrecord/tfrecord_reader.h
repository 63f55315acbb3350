// SPDX-License-Identifier: Apache-2.0
// TFRecord files of tf.train.Example, read at random through an index.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is one file or a folder of shards. Throws FormatError if one is damaged or compressed, or
/// if there are no records.
[[nodiscard]] std::unique_ptr<RecordReader> open_tfrecord_reader(const std::filesystem::path& path,
                                                                 const ReadOptions& options);

/// Whether a file's name ends in ".tfrecord", ".tfrecords" or, as those of TensorFlow's converters
/// do, in "-00003-of-00010".
[[nodiscard]] bool is_tfrecord_name(const std::filesystem::path& file);

/// Whether `path` is a folder of such files, with neither images nor folders; or a file with such a
/// name, or compressed from one; or one that begins with a length and its checksum.
[[nodiscard]] bool looks_like_tfrecord(const std::filesystem::path& path);

}  // namespace feedrate
