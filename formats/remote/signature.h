// SPDX-License-Identifier: Apache-2.0
// AWS Signature Version 4 of requests without a body:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. Pure functions;
// any thread.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "formats/remote/credentials.h"

namespace feedrate {

/// Values of HTTP headers by lower-case name.
using HttpHeaders = std::map<std::string, std::string>;

struct UnsignedRequest {
  std::string_view method;  ///< "GET"
  std::string_view path;    ///< percent-encoded: "/bucket/a%20key"
  std::string_view query;   ///< percent-encoded, sorted by name: "list-type=2&prefix=a"
  HttpHeaders headers;      ///< with "host"
};

/// The headers to send: those of the request, and x-amz-date, x-amz-content-sha256,
/// x-amz-security-token, authorization.
[[nodiscard]] HttpHeaders sign_s3_request(const UnsignedRequest& request,
                                          const S3Credentials& credentials, std::string_view region,
                                          std::chrono::system_clock::time_point now);

}  // namespace feedrate
