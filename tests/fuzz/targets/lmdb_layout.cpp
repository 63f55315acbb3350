// SPDX-License-Identifier: Apache-2.0
// A value of our own layout in an LMDB database, and the JSON by which it describes itself.
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
    finding("a value is not written as it was read");
  }
  return true;
}

bool is_manifest(Bytes input) {
  return accepts([&] {
    const std::string text = format_lmdb_manifest(parse_lmdb_manifest(text_of(input), "m"));
    if (format_lmdb_manifest(parse_lmdb_manifest(text, "m")) != text) {
      finding("a manifest is not read as it was written");
    }
  });
}

}  // namespace

bool lmdb_layout(Bytes input) { return is_value(input) || is_manifest(input); }

}  // namespace feedrate::fuzz
