// SPDX-License-Identifier: Apache-2.0
// What a server's answer says, and whether it is the one that was asked for. Pure functions; any
// thread.
#pragma once
#include <string>
#include <string_view>

#include "formats/remote/object_client.h"

namespace feedrate {

/// "the server answers 503 (SlowDown: Please reduce your request rate.)", of an error with S3's
/// XML or without.
[[nodiscard]] std::string refusal_text(int status, std::string_view body);

/// False where the answer to a whole GET has a CRC-32 or CRC-32C that is not that of its body.
[[nodiscard]] bool checksum_matches(const HttpHeaders& headers, std::string_view body);

/// Returns for 404, for a refusal of HEAD, which has no body that says why, and where the bytes and
/// the ETag are those that were asked for. Throws as ObjectClient::wait() does.
void require_wanted(const ObjectRequest& request, const ObjectResponse& response,
                    const S3Settings& settings);

}  // namespace feedrate
