// SPDX-License-Identifier: Apache-2.0
// S3's XML: its errors and its lists of objects. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

struct ObjectInfo {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  ///< in whole seconds; 0 if unknown
  std::string etag = {};      ///< with its quotes; empty if unknown
};

struct ListedObject {
  std::string key;
  ObjectInfo info;
};

/// One page of ListObjectsV2 with encoding-type=url.
struct ObjectPage {
  std::vector<ListedObject> objects = {};
  std::vector<std::string> prefixes = {};  ///< each ends in a slash
  std::string next = {};                   ///< the continuation token; empty at the end
};

/// Throws FormatError, beginning with `path`, if `xml` is no such page.
[[nodiscard]] ObjectPage parse_object_page(std::string_view xml, const std::string& path);

/// "NoSuchKey: The specified key does not exist."; empty if `xml` is no error of S3's.
[[nodiscard]] std::string s3_error_text(std::string_view xml);

/// Nanoseconds since 1970 of "2026-11-27T06:00:00.000Z" or "Fri, 27 Nov 2026 06:00:00 GMT"; 0 for
/// any other text.
[[nodiscard]] std::int64_t parse_server_time(std::string_view text);

}  // namespace feedrate
