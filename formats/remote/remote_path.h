// SPDX-License-Identifier: Apache-2.0
// Paths of objects on a server: "s3://bucket/key", "https://host/path". Pure functions; any thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

struct RemotePath {
  std::string scheme;  ///< "s3", "http", "https"
  std::string host;    ///< the bucket of S3; "host" or "host:port"
  std::string key;     ///< without leading slash; for http as in the URL
};

[[nodiscard]] bool is_remote(std::string_view path) noexcept;

/// Throws ConfigError if bucket or host is missing, or if a URL of http has a password or a query,
/// which may be a signature: results print paths. REQUIRES: is_remote(path)
[[nodiscard]] RemotePath parse_remote_path(std::string_view path);

/// RFC 3986's percent encoding as S3 signs it: of all but letters, digits, "-._~" and, with
/// `keep_slash`, the slash.
[[nodiscard]] std::string percent_encode(std::string_view text, bool keep_slash);
/// Decodes "%41" to 'A'; keeps anything that is no such triple.
[[nodiscard]] std::string percent_decode(std::string_view text);

}  // namespace feedrate
