// SPDX-License-Identifier: Apache-2.0
// A value of feedrate's layout in an LMDB database, and its JSON manifest.
#include <algorithm>

#include "formats/lmdb/layout.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

bool is_value(Bytes input) {
  const auto record = decode_lmdb_value(input);
  if (!record) return false;
  const std::vector<std::byte> again = encode_lmdb_value(*record);
  if (!std::equal(again.begin(), again.end(), input.begin(), input.end())) {
    finding("a value that was read is written differently");
  }
  return true;
}

bool is_manifest(Bytes input) {
  return accepts([&] {
    const std::string text = format_lmdb_manifest(parse_lmdb_manifest(text_of(input), "m"));
    if (format_lmdb_manifest(parse_lmdb_manifest(text, "m")) != text) {
      finding("a written manifest reads differently");
    }
  });
}

}  // namespace

bool lmdb_layout(Bytes input) { return is_value(input) || is_manifest(input); }

}  // namespace feedrate::fuzz
