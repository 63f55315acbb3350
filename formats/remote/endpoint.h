// SPDX-License-Identifier: Apache-2.0
// The URL of an object. Pure functions; any thread.
#pragma once
#include <string>

#include "formats/remote/credentials.h"
#include "formats/remote/remote_path.h"

namespace feedrate {

struct ObjectUrl {
  std::string origin;  ///< "https://bucket.s3.us-east-1.amazonaws.com"
  std::string host;    ///< the Host header: without the scheme's default port
  std::string path;    ///< percent-encoded: "/a%20key"
};

/// Puts the bucket into the path for a custom endpoint, and into the host for AWS, unless it has a
/// dot, which AWS's wildcard certificate does not match.
[[nodiscard]] ObjectUrl object_url(const RemotePath& path, const S3Settings& settings);

}  // namespace feedrate
