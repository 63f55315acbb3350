// SPDX-License-Identifier: Apache-2.0
// Checks a server's response against the request. Pure functions; any thread.
#pragma once
#include <string>
#include <string_view>

#include "formats/remote/object_client.h"

namespace feedrate {

/// "the server answers 503 (SlowDown: Please reduce your request rate.)"; without the parentheses
/// if `body` is no S3 error.
[[nodiscard]] std::string refusal_text(int status, std::string_view body);

/// Returns false if the response to a whole GET has a CRC-32 or CRC-32C that its body does not
/// match.
[[nodiscard]] bool checksum_matches(const HttpHeaders& headers, std::string_view body);

/// Accepts 404, errors below 500 of HEAD, which has no body with a reason, and the requested bytes
/// with the requested ETag. Throws for all others as ObjectClient::wait() does.
void require_wanted(const ObjectRequest& request, const ObjectResponse& response,
                    const S3Settings& settings);

}  // namespace feedrate
