// SPDX-License-Identifier: Apache-2.0
// S3's settings, from the environment variables and files of AWS's own tools. Secrets are used for
// signatures only.
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
  std::string credentials_from = {};  ///< for messages: the source, or all that were searched
  std::string region = "us-east-1";
  std::string endpoint = {};   ///< "http://127.0.0.1:9000"; empty: AWS itself
  std::string ca_bundle = {};  ///< file of certificates; empty: the system's
  int max_attempts = 5;        ///< attempts per request
};

/// The value of an environment variable; empty where it is not set.
using ReadVariable = std::function<std::string(const char* name)>;
[[nodiscard]] std::string environment_value(const char* name);

/// `text` with "***" for the secret key and the session token, plain or percent-encoded. Values of
/// fewer than 4 characters are no secrets.
[[nodiscard]] std::string without_secrets(std::string text, const S3Credentials& credentials);

/// The environment overrides ~/.aws/credentials, and that overrides ~/.aws/config, as in boto3.
/// If there are credentials, excludes private memory from core dumps of this process and its
/// children. Throws ConfigError naming file or variable.
[[nodiscard]] S3Settings read_s3_settings(const ReadVariable& variable = environment_value);

}  // namespace feedrate
