// SPDX-License-Identifier: Apache-2.0
// How to reach S3: from the environment variables and files that AWS's own tools use. Secrets go
// nowhere but into signatures.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace feedrate {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  ///< empty: none
};

struct S3Settings {
  std::optional<S3Credentials> credentials = std::nullopt;  ///< none: requests are not signed
  std::string credentials_from = {};  ///< for messages: "AWS_ACCESS_KEY_ID"; or where was looked
  std::string region = "us-east-1";
  std::string endpoint = {};   ///< "http://127.0.0.1:9000"; empty: AWS itself
  std::string ca_bundle = {};  ///< a file; empty: the system's
  int max_attempts = 5;        ///< of one request
};

/// The value of an environment variable; empty where it is not set.
using ReadVariable = std::function<std::string(const char* name)>;
[[nodiscard]] std::string environment_value(const char* name);

/// `text` with stars in place of the secret key and the session token, as they are or
/// percent-encoded. Values of fewer than 4 characters are no secrets.
[[nodiscard]] std::string without_secrets(std::string text, const S3Credentials& credentials);

/// The environment comes before ~/.aws/credentials, and that before ~/.aws/config, as in boto3. A
/// core dump of this process and of its children has no memory from the first secret on. Throws
/// ConfigError naming file or variable.
[[nodiscard]] S3Settings read_s3_settings(const ReadVariable& variable = environment_value);

}  // namespace feedrate
