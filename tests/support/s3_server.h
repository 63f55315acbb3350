// SPDX-License-Identifier: Apache-2.0
// Runs s3_server.py as a child process, and sets an environment in which feedrate finds it. One
// thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "core/unique_fd.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {

inline constexpr const char* kServerAccessKey = "AKIDEXAMPLE";
inline constexpr const char* kServerSecretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// Each folder in `root` is a bucket. The destructor ends the server.
class S3Server {
 public:
  /// Takes the options of s3_server.py. Throws std::runtime_error if the server does not start.
  explicit S3Server(const std::filesystem::path& root,
                    const std::vector<std::string>& options = {});
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;
  ~S3Server();

  /// "http://127.0.0.1:41234"; with --tls "https://…", and then the functions below do not work.
  [[nodiscard]] const std::string& url() const { return url_; }
  /// Rules as in s3_server.py: [{"match": "key", "kind": "reset", "times": 1}].
  void set_faults(std::string_view json) const;
  /// Returns the JSON of "/-/log" or "/-/stats".
  [[nodiscard]] std::string get(const std::string& path) const;
  void clear_log() const;

 private:
  [[nodiscard]] std::string ask(const std::string& method, const std::string& path,
                                std::string_view body) const;

  pid_t pid_ = -1;
  UniqueFd stdin_;
  std::string url_;
};

/// Sets the AWS variables of a test's process: this server, these keys (none if empty), and no
/// files.
class S3Environment {
 public:
  explicit S3Environment(const std::string& url, const std::string& access_key = kServerAccessKey,
                         const std::string& secret_key = kServerSecretKey);

 private:
  std::vector<std::unique_ptr<ScopedVariable>> variables_;
};

/// The options `--access-key` and `--secret-key` with the keys above.
[[nodiscard]] std::vector<std::string> server_keys();

}  // namespace feedrate::testing
