// SPDX-License-Identifier: Apache-2.0
// Asks a server for objects: by libcurl, over connections that are kept, many at a time. What fails
// for a moment is asked for again: a connection that breaks, a server that is busy or silent, an
// answer cut short.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "formats/remote/credentials.h"
#include "formats/remote/signature.h"

namespace feedrate {

struct ObjectRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< at least 1
};

struct ObjectRequest {
  std::string path;        ///< "s3://bucket/key"
  std::string query = {};  ///< percent-encoded, sorted by name
  bool head_only = false;
  std::optional<ObjectRange> range = std::nullopt;  ///< else the whole object
  std::string etag = {};                            ///< what the object must still have; empty: any
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< of a whole object
};

/// Empty where there is none of this lower-case name.
[[nodiscard]] inline std::string_view header_of(const HttpHeaders& headers,
                                                const std::string& name) {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

/// Valid as long as the transfer.
struct ObjectResponse {
  int status = 0;  ///< 200, 206 or 404; of HEAD also those of refusals
  const HttpHeaders& headers;
  std::string_view body;

  [[nodiscard]] std::string_view header(const std::string& name) const {
    return header_of(headers, name);
  }
};

/// How long to wait for what.
struct RemotePatience {
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{30};            ///< without a byte, before the request is made again
  std::chrono::milliseconds total{120'000};    ///< for one request with all its tries
  std::chrono::milliseconds first_pause{100};  ///< before the second try; then twice as long each
};

/// Belongs to one thread of one process: forked, it must not be used. Outlives its transfers.
class ObjectClient {
 public:
  class Transfer;
  struct Return {
    void operator()(Transfer* transfer) const noexcept;
  };
  /// A request under way; it is given up where this goes first.
  using TransferPtr = std::unique_ptr<Transfer, Return>;

  /// Throws ServerError without a libcurl.
  explicit ObjectClient(S3Settings settings = read_s3_settings(), RemotePatience patience = {});
  ~ObjectClient();
  ObjectClient(const ObjectClient&) = delete;
  ObjectClient& operator=(const ObjectClient&) = delete;

  /// Sends a request. All that were sent make progress while one is waited for.
  [[nodiscard]] TransferPtr start(const ObjectRequest& request);

  /// Waits for its answer, valid as long as `transfer`. Throws ServerError naming the object if the
  /// server refuses or tries are used up, FormatError if the object has changed since its ETag was
  /// taken, or the answer is not what was asked for, Cancelled by cancel_requests_by().
  [[nodiscard]] ObjectResponse wait(Transfer& transfer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Once it is requested, waiting for an answer throws Cancelled. Called before the first
/// request and by one thread, as main() does for Ctrl-C; forked workers are ended by their parent.
void cancel_requests_by(std::stop_token stop);

/// Cancels by `stop` in place of cancel_requests_by()'s while it lives: a cell's deadline. By the
/// thread that measures, while no other waits for an answer.
class RequestDeadline {
 public:
  explicit RequestDeadline(std::stop_token stop);
  RequestDeadline(const RequestDeadline&) = delete;
  RequestDeadline& operator=(const RequestDeadline&) = delete;
  ~RequestDeadline();

 private:
  std::stop_token usual_;
};

/// How many requests this program has sent, its forked workers among them, and how many of these
/// were a second try or later. Workers count from the first call on that was made before they were
/// forked.
struct RemoteRequests {
  std::uint64_t sent = 0;
  std::uint64_t repeated = 0;
};
[[nodiscard]] RemoteRequests remote_requests() noexcept;

}  // namespace feedrate
