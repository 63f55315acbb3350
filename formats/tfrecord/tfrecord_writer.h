// SPDX-License-Identifier: Apache-2.0
// Writes TFRecord files of tf.train.Example, as TensorFlow's ImageNet converter does.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// A path that ends in ".tfrecord" or ".tfrecords" becomes one file, any other a folder of shards
/// of about `options.shard_bytes`. Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_tfrecord_writer(
    const std::filesystem::path& path, const WriterOptions& options);

}  // namespace feedrate
