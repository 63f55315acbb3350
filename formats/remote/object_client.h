// SPDX-License-Identifier: Apache-2.0
// Requests objects from a server: by libcurl, over persistent connections, many at a time. Retries
// transient failures: broken connections, busy or silent servers, truncated answers.
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
  std::optional<ObjectRange> range = std::nullopt;    ///< else the whole object
  std::string etag = {};                              ///< must match the object's; empty: any
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< limit for a whole object
};

/// The value of a header by its lower-case name; empty if there is none.
[[nodiscard]] inline std::string_view header_of(const HttpHeaders& headers,
                                                const std::string& name) {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

/// A view: valid as long as the transfer.
struct ObjectResponse {
  int status = 0;  ///< 200, 206 or 404; for HEAD also errors below 500
  const HttpHeaders& headers;
  std::string_view body;

  [[nodiscard]] std::string_view header(const std::string& name) const {
    return header_of(headers, name);
  }
};

/// Timeouts of one request.
struct RemoteTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{30};            ///< without a byte, before a retry
  std::chrono::milliseconds total{120'000};    ///< with all retries
  std::chrono::milliseconds first_pause{100};  ///< before the first retry; doubles each time
};

/// Used by one thread of one process; a forked child must not use it. Outlives its transfers.
class ObjectClient {
 public:
  class Transfer;
  struct Return {
    void operator()(Transfer* transfer) const noexcept;
  };
  /// A request in flight; destroying it cancels the request.
  using TransferPtr = std::unique_ptr<Transfer, Return>;

  /// Throws ServerError if there is no libcurl.
  explicit ObjectClient(S3Settings settings = read_s3_settings(), RemoteTimeouts timeouts = {});
  ~ObjectClient();
  ObjectClient(const ObjectClient&) = delete;
  ObjectClient& operator=(const ObjectClient&) = delete;

  /// Sends a request. wait() on one transfer drives all of them.
  [[nodiscard]] TransferPtr start(const ObjectRequest& request);

  /// Blocks until the response, valid as long as `transfer`. Throws ServerError naming the object
  /// if the server refuses or retries are used up, FormatError if the object's ETag has changed or
  /// the response has another size, Cancelled by cancel_requests_by().
  [[nodiscard]] ObjectResponse wait(Transfer& transfer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Once `stop` is requested, wait() throws Cancelled. Call it from one thread before the first
/// request, as main() does for Ctrl-C. Parents terminate their forked workers themselves.
void cancel_requests_by(std::stop_token stop);

/// Replaces the token of cancel_requests_by() by `stop` while it lives: a cell's deadline. Used by
/// the measuring thread, while no other thread is in wait().
class RequestDeadline {
 public:
  explicit RequestDeadline(std::stop_token stop);
  RequestDeadline(const RequestDeadline&) = delete;
  RequestDeadline& operator=(const RequestDeadline&) = delete;
  ~RequestDeadline();

 private:
  std::stop_token previous_;
};

/// Requests sent by this program and its forked workers, and the retries among them. Workers are
/// counted if the first call was made before they were forked.
struct RemoteRequests {
  std::uint64_t sent = 0;
  std::uint64_t repeated = 0;
};
[[nodiscard]] RemoteRequests remote_requests() noexcept;

}  // namespace feedrate
