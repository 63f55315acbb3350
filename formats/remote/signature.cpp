// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/signature.h"

#include <array>
#include <span>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sodium.h>

namespace feedrate {
namespace {

using Digest = std::array<unsigned char, crypto_hash_sha256_BYTES>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string to_hex(const Digest& digest) {
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

Digest sha256(std::string_view text) {
  Digest digest;
  crypto_hash_sha256(digest.data(), bytes_of(text), text.size());
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  Digest digest;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes_of(key), key.size());
  crypto_auth_hmacsha256_update(&state, bytes_of(text), text.size());
  crypto_auth_hmacsha256_final(&state, digest.data());
  sodium_memzero(&state, sizeof state);
  return digest;
}

}  // namespace

HttpHeaders sign_s3_request(const UnsignedRequest& request, const S3Credentials& credentials,
                            std::string_view region, std::chrono::system_clock::time_point now) {
  const std::string time =
      fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  const std::string_view date = std::string_view(time).substr(0, 8);
  const std::string payload = to_hex(sha256(""));
  HttpHeaders headers = request.headers;
  headers["x-amz-date"] = time;
  headers["x-amz-content-sha256"] = payload;
  if (!credentials.session_token.empty()) {
    headers["x-amz-security-token"] = credentials.session_token;
  }
  std::string canonical = fmt::format("{}\n{}\n{}\n", request.method, request.path, request.query);
  std::string names;
  for (const auto& [name, value] : headers) {
    canonical += fmt::format("{}:{}\n", name, value);
    names += fmt::format("{}{}", names.empty() ? "" : ";", name);
  }
  canonical += fmt::format("\n{}\n{}", names, payload);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", date, region);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, to_hex(sha256(canonical)));
  Digest key = hmac_sha256("AWS4" + credentials.secret_key, date);
  for (const std::string_view part :
       {region, std::string_view("s3"), std::string_view("aws4_request")}) {
    key = hmac_sha256(text_of(key), part);
  }
  headers["authorization"] =
      fmt::format("AWS4-HMAC-SHA256 Credential={}/{},SignedHeaders={},Signature={}",
                  credentials.access_key, scope, names, to_hex(hmac_sha256(text_of(key), to_sign)));
  sodium_memzero(key.data(), key.size());
  return headers;
}

}  // namespace feedrate
