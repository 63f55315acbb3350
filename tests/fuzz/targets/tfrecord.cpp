// SPDX-License-Identifier: Apache-2.0
// A TFRecord file; and the same bytes as the one tf.train.Example of a file, since no mutation gets
// the checksums of a frame right.
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool tfrecord(Bytes input) {
  const bool is_file = reads_as(open_tfrecord_reader, input);
  const bool is_record = reads_as(open_tfrecord_reader, bytes_of(format_frame(text_of(input))));
  const auto example = parse_example(input);
  if (is_record != (example && !example->payload.empty())) {
    finding("a file takes another Example than its parser");
  }
  touch(describe_features(input));
  return is_file || is_record;
}

}  // namespace feedrate::fuzz
