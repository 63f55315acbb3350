// SPDX-License-Identifier: Apache-2.0
// The index file of a TFRecord file.
#include "formats/tfrecord/tfrecord_index.h"

#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool tfrecord_index(Bytes input) {
  const auto frames = parse_tfrecord_index(text_of(input));
  if (!frames) return false;
  const std::string text = format_tfrecord_index(*frames);
  const auto again = parse_tfrecord_index(text);
  if (!again || format_tfrecord_index(*again) != text) finding("a written index reads differently");
  return true;
}

}  // namespace feedrate::fuzz
