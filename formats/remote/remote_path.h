// SPDX-License-Identifier: Apache-2.0
// Names of objects that a server keeps: "s3://bucket/key", "https://host/path". Pure functions; any
// thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

struct RemotePath {
  std::string scheme;  ///< "s3", "http", "https"
  std::string host;    ///< the bucket of S3; "host" or "host:port"
  std::string key;     ///< without the slash before it; of http as it stands in the URL
};

[[nodiscard]] bool is_remote(std::string_view path) noexcept;

/// Throws ConfigError unless there is a bucket or host, and where a URL of http holds a password or
/// a query, which may be a signature: paths stand in results. REQUIRES: is_remote(path)
[[nodiscard]] RemotePath parse_remote_path(std::string_view path);

/// RFC 3986's percent encoding as S3 signs it: all but letters, digits and "-._~", and the slash
/// where it is kept.
[[nodiscard]] std::string percent_encode(std::string_view text, bool keep_slash);
/// "%41" is 'A'; what is no such triple stays.
[[nodiscard]] std::string percent_decode(std::string_view text);

}  // namespace feedrate
