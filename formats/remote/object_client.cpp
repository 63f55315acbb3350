// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/object_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/parse_number.h"
#include "core/random.h"
#include "core/shared_count.h"
#include "formats/remote/curl.h"
#include "formats/remote/endpoint.h"
#include "formats/remote/server_refusal.h"

namespace feedrate {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostErrorBytes = std::uint64_t{64} * 1024;
constexpr milliseconds kLongestPause{5'000};
constexpr milliseconds kLongestAskedPause{20'000};  // by Retry-After
constexpr milliseconds kCancellationPoll{200};
constexpr long kKeptConnections = 256;

struct Counts {
  SharedCount sent;
  SharedCount repeated;
};

Counts& counts() noexcept {
  static Counts requests;
  return requests;
}

std::stop_token& cancellation() {
  static std::stop_token stop;
  return stop;
}

bool is_transient(CURLcode code) {
  constexpr std::array kCodes{CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
                              CURLE_OPERATION_TIMEDOUT,   CURLE_RECV_ERROR,
                              CURLE_SEND_ERROR,           CURLE_GOT_NOTHING,
                              CURLE_PARTIAL_FILE,         CURLE_SSL_CONNECT_ERROR};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

bool is_transient(int status) {
  constexpr std::array kStatuses{408, 429, 500, 502, 503, 504};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

void append(CurlList& list, const std::string& line) {
  curl_slist* const longer = curl().slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(list.release());
  list.reset(longer);
}

}  // namespace

class ObjectClient::Transfer {
 public:
  Transfer(Impl& owner, CURL* handle) : client(owner), easy(handle) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() { curl().easy_cleanup(easy); }

  void begin_try() {
    status = 0;
    headers.clear();
    body.clear();
    message.front() = '\0';
    is_too_long = false;
    ++tries;
  }

  // Limit of the body, in bytes. The body of an error is cut there.
  [[nodiscard]] std::uint64_t most_bytes() const {
    const std::uint64_t most = request.range ? request.range->size : request.most_bytes;
    return has_data() ? most : kMostErrorBytes;
  }
  [[nodiscard]] bool has_data() const { return status == 200 || status == 206; }

  static std::size_t take_header(char* data, std::size_t /*one*/, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) {  // Also for each redirection and proxy.
      transfer.headers.clear();
      const std::size_t space = std::min(line.find(' '), line.size() - 1);
      std::from_chars(line.data() + space + 1, line.data() + line.size(), transfer.status);
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      transfer.headers[lower(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
    }
    return size;
  }

  static std::size_t take_body(char* data, std::size_t /*one*/, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (size > transfer.most_bytes() - transfer.body.size()) {
      if (!transfer.has_data()) return size;
      transfer.is_too_long = true;
      return 0;
    }
    if (transfer.body.empty() && transfer.request.range) {
      transfer.body.reserve(transfer.request.range->size);
    }
    transfer.body.append(data, size);
    return size;
  }

  Impl& client;
  CURL* easy;
  ObjectRequest request;
  ObjectUrl url;
  CurlList sent_headers;
  std::array<char, CURL_ERROR_SIZE> message{};
  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool is_too_long = false;
  int tries = 0;
  bool is_active = false;  ///< added to curl's multi handle
  bool is_done = false;
  std::string problem;
  Clock::time_point began;  ///< start of the first try
  Clock::time_point again;  ///< time of the next try, if neither active nor done
};

class ObjectClient::Impl {
 public:
  Impl(S3Settings settings, RemoteTimeouts timeouts)
      : settings_(std::move(settings)),
        timeouts_(timeouts),
        random_(static_cast<std::uint64_t>(::getpid() + Clock::now().time_since_epoch().count())) {
    multi_ = curl().multi_init();
    if (multi_ == nullptr) throw std::bad_alloc();
    curl().multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    idle_.clear();
    curl().multi_cleanup(multi_);
  }

  Transfer* start(const ObjectRequest& request) {
    std::unique_ptr<Transfer> transfer = take_idle();
    transfer->request = request;
    transfer->url = object_url(parse_remote_path(request.path), settings_);
    transfer->tries = 0;
    transfer->is_done = false;
    transfer->problem.clear();
    transfer->began = Clock::now();
    send(*transfer);
    started_.push_back(transfer.get());
    int running = 0;
    curl().multi_perform(multi_, &running);
    return transfer.release();
  }

  void drive(Transfer& wanted) {
    while (true) {
      send_due();
      int running = 0;
      curl().multi_perform(multi_, &running);
      collect();
      if (wanted.is_done) return;
      if (cancellation().stop_requested()) throw Cancelled();
      int ready = 0;
      const auto wait = std::clamp(time_to_next(), milliseconds(1), kCancellationPoll);
      if (running > 0) {
        curl().multi_wait(multi_, nullptr, 0, static_cast<int>(wait.count()), &ready);
      } else {
        std::this_thread::sleep_for(wait);
      }
    }
  }

  void give_back(Transfer* transfer) noexcept {
    if (transfer->is_active) curl().multi_remove_handle(multi_, transfer->easy);
    transfer->is_active = false;
    std::erase(started_, transfer);
    idle_.emplace_back(transfer);
  }

  /// The response of a finished transfer. Throws as ObjectClient::wait().
  [[nodiscard]] ObjectResponse answer(const Transfer& transfer) const;

  [[nodiscard]] const S3Settings& settings() const { return settings_; }

 private:
  std::unique_ptr<Transfer> take_idle() {
    if (idle_.empty()) {
      CURL* const easy = curl().easy_init();
      if (easy == nullptr) throw std::bad_alloc();
      return std::make_unique<Transfer>(*this, easy);
    }
    std::unique_ptr<Transfer> transfer = std::move(idle_.back());
    idle_.pop_back();
    return transfer;
  }

  // Called for each try, because a signature includes its time.
  [[nodiscard]] CurlList headers_of(const Transfer& transfer) const {
    const ObjectRequest& request = transfer.request;
    HttpHeaders headers{{"host", transfer.url.host}};
    if (request.range) {
      headers["range"] = fmt::format("bytes={}-{}", request.range->offset,
                                     request.range->offset + request.range->size - 1);
    }
    // A weak ETag never matches: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
    if (!request.etag.empty() && !request.etag.starts_with("W/")) {
      headers["if-match"] = request.etag;
    }
    if (request.path.starts_with("s3://")) {
      if (!request.range && !request.head_only) headers["x-amz-checksum-mode"] = "ENABLED";
      if (settings_.credentials) {
        headers = sign_s3_request({.method = request.head_only ? "HEAD" : "GET",
                                   .path = transfer.url.path,
                                   .query = request.query,
                                   .headers = std::move(headers)},
                                  *settings_.credentials, settings_.region,
                                  std::chrono::system_clock::now());
      }
    }
    CurlList list;
    for (const auto& [name, value] : headers) append(list, fmt::format("{}: {}", name, value));
    return list;
  }

  void send(Transfer& transfer) {
    CURL* const easy = transfer.easy;
    const auto set = [&](CURLoption option, auto value) {
      curl().easy_setopt(easy, option, value);
    };
    transfer.begin_try();
    counts().sent.add();
    if (transfer.tries > 1) counts().repeated.add();
    curl().easy_reset(easy);
    transfer.sent_headers = headers_of(transfer);
    const std::string url =
        fmt::format("{}{}{}{}", transfer.url.origin, transfer.url.path,
                    transfer.request.query.empty() ? "" : "?", transfer.request.query);
    const bool is_s3 = transfer.request.path.starts_with("s3://");
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_HTTPHEADER, transfer.sent_headers.get());
    set(CURLOPT_NOBODY, transfer.request.head_only ? 1L : 0L);
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_FOLLOWLOCATION, is_s3 ? 0L : 1L);  // A signature is valid for one host.
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeouts_.connect.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(timeouts_.silence.count()));
    set(CURLOPT_ERRORBUFFER, transfer.message.data());
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_PRIVATE, &transfer);
    if (!settings_.ca_bundle.empty()) set(CURLOPT_CAINFO, settings_.ca_bundle.c_str());
    curl().multi_add_handle(multi_, easy);
    transfer.is_active = true;
  }

  [[nodiscard]] static bool is_paused(const Transfer& transfer) {
    return !transfer.is_active && !transfer.is_done;
  }

  void send_due() {
    const Clock::time_point now = Clock::now();
    for (Transfer* const transfer : started_) {
      if (is_paused(*transfer) && transfer->again <= now) send(*transfer);
    }
  }

  [[nodiscard]] milliseconds time_to_next() const {
    const Clock::time_point now = Clock::now();
    auto next = milliseconds::max();
    for (const Transfer* const transfer : started_) {
      if (!is_paused(*transfer)) continue;
      next = std::min(next, std::chrono::ceil<milliseconds>(transfer->again - now));
    }
    return next;
  }

  void collect() {
    int left = 0;
    while (const CURLMsg* const message = curl().multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // Freed with the handle.
      char* owner = nullptr;
      curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
      auto& transfer = *reinterpret_cast<Transfer*>(owner);
      curl().multi_remove_handle(multi_, transfer.easy);
      transfer.is_active = false;
      judge(transfer, code);
    }
  }

  void judge(Transfer& transfer, CURLcode code) {
    const bool failed = code != CURLE_OK && !transfer.is_too_long;
    const bool is_damaged = code == CURLE_OK && transfer.status == 200 &&
                            !transfer.request.head_only &&
                            !checksum_matches(transfer.headers, transfer.body);
    const bool try_again =
        is_damaged || (failed ? is_transient(code) : is_transient(transfer.status));
    const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - transfer.began);
    const milliseconds pause = pause_before_next(transfer);
    if (try_again && transfer.tries < settings_.max_attempts && spent + pause < timeouts_.total) {
      transfer.again = Clock::now() + pause;
      return;
    }
    transfer.is_done = true;
    if (!failed && !try_again) return;
    if (failed) {
      transfer.problem =
          transfer.message.front() != '\0' ? transfer.message.data() : curl().easy_strerror(code);
      if (code == CURLE_PEER_FAILED_VERIFICATION) {
        transfer.problem += "; set AWS_CA_BUNDLE to a file with the certificate of its authority";
      }
    } else if (is_damaged) {
      transfer.problem = "the checksum of the received bytes does not match the server's";
    } else {
      transfer.problem = refusal_text(transfer.status, transfer.body);
    }
    if (try_again) {
      transfer.problem += fmt::format("; given up after {} {} in {:.1f} s", transfer.tries,
                                      transfer.tries == 1 ? "try" : "tries",
                                      std::chrono::duration<double>(spent).count());
    }
  }

  milliseconds pause_before_next(const Transfer& transfer) {
    // Any other value is a date, which is ignored.
    if (const auto asked =
            parse_number<std::uint32_t>(header_of(transfer.headers, "retry-after"))) {
      return std::min<milliseconds>(std::chrono::seconds(*asked), kLongestAskedPause);
    }
    const int doublings = std::min(transfer.tries - 1, 10);
    const milliseconds longest = std::min(timeouts_.first_pause * (1 << doublings), kLongestPause);
    // Random jitter of one half: workers refused together must not retry together.
    const auto half = static_cast<std::uint64_t>(longest.count() / 2);
    return milliseconds(half + random_.below(half + 1));
  }

  S3Settings settings_;
  RemoteTimeouts timeouts_;
  RandomStream random_;
  CURLM* multi_;
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::vector<Transfer*> started_;
};

void ObjectClient::Return::operator()(Transfer* transfer) const noexcept {
  transfer->client.give_back(transfer);
}

ObjectClient::ObjectClient(S3Settings settings, RemoteTimeouts timeouts)
    : impl_(std::make_unique<Impl>(std::move(settings), timeouts)) {}

ObjectClient::~ObjectClient() = default;

ObjectClient::TransferPtr ObjectClient::start(const ObjectRequest& request) {
  return TransferPtr(impl_->start(request));
}

// Removes secrets from errors, because a server may echo the headers that it received.
ObjectResponse ObjectClient::wait(Transfer& transfer) {
  impl_->drive(transfer);
  try {
    return impl_->answer(transfer);
  } catch (const ServerError& error) {
    const auto& credentials = impl_->settings().credentials;
    if (!credentials) throw;
    throw ServerError(without_secrets(error.what(), *credentials));
  }
}

ObjectResponse ObjectClient::Impl::answer(const Transfer& transfer) const {
  const ObjectRequest& request = transfer.request;
  if (!transfer.problem.empty()) {
    throw ServerError(fmt::format("{}: {}", request.path, transfer.problem));
  }
  const ObjectResponse response{
      .status = transfer.status, .headers = transfer.headers, .body = transfer.body};
  if (transfer.is_too_long) {
    throw ServerError(fmt::format(
        "{}: the server sends more than the {} bytes asked for{}", request.path,
        transfer.most_bytes(),
        request.range && transfer.status == 200 ? "; it does not support ranges of bytes" : ""));
  }
  require_wanted(request, response, settings_);
  return response;
}

void cancel_requests_by(std::stop_token stop) { cancellation() = std::move(stop); }

RequestDeadline::RequestDeadline(std::stop_token stop)
    : previous_(std::exchange(cancellation(), std::move(stop))) {}

RequestDeadline::~RequestDeadline() { cancellation() = std::move(previous_); }

RemoteRequests remote_requests() noexcept {
  return {.sent = counts().sent.value(), .repeated = counts().repeated.value()};
}

}  // namespace feedrate
