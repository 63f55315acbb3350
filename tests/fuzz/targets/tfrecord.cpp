// SPDX-License-Identifier: Apache-2.0
// A TFRecord file, and the same bytes as the tf.train.Example of a one-record file, since no
// mutation gets the checksums of a frame right.
#include "formats/formats.h"
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool tfrecord(Bytes input) {
  const bool is_file = reads_as(open_tfrecord_reader, input);
  const bool is_record = reads_as(open_tfrecord_reader, bytes_of(format_frame(text_of(input))));
  const auto example = parse_example(input);
  if (is_record != (example && !example->payload.empty())) {
    finding("the file reader and parse_example() disagree");
  }
  touch(describe_features(input));
  return is_file || is_record;
}

}  // namespace feedrate::fuzz
