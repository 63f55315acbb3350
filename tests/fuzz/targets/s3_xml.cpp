// SPDX-License-Identifier: Apache-2.0
// A server's response: a page of its objects, or an error.
#include "formats/remote/s3_xml.h"

#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool s3_xml(Bytes input) {
  const std::string_view text = text_of(input);
  static_cast<void>(parse_server_time(text));
  const bool is_error = !s3_error_text(text).empty();
  const bool is_page = accepts([&] { static_cast<void>(parse_object_page(text, "s3://bucket")); });
  return is_error || is_page;
}

}  // namespace feedrate::fuzz
