// SPDX-License-Identifier: Apache-2.0
// Where an object is asked for. Pure functions; any thread.
#pragma once
#include <string>

#include "formats/remote/credentials.h"
#include "formats/remote/remote_path.h"

namespace feedrate {

struct ObjectUrl {
  std::string origin;  ///< "https://bucket.s3.us-east-1.amazonaws.com"
  std::string host;    ///< as the Host header has it: without the scheme's own port
  std::string path;    ///< percent-encoded: "/a%20key"
};

/// At an endpoint of one's own the bucket is the first part of the path; at AWS it is part of the
/// host, unless it has a dot, for which there is no certificate.
[[nodiscard]] ObjectUrl object_url(const RemotePath& path, const S3Settings& settings);

}  // namespace feedrate
