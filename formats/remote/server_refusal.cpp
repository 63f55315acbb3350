// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/server_refusal.h"

#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>
#include <sodium.h>

#include "core/crc32c.h"
#include "core/error.h"
#include "formats/remote/remote_path.h"
#include "formats/remote/s3_xml.h"

namespace feedrate {
namespace {

bool is_about_credentials(const ObjectResponse& response) {
  if (response.status == 401 || response.status == 403) return true;
  const std::string reason = s3_error_text(response.body);
  return response.status == 400 &&
         (reason.starts_with("ExpiredToken") || reason.starts_with("InvalidToken"));
}

// The end of the message: what the user can do.
std::string remedy(const ObjectRequest& request, const ObjectResponse& response,
                   const S3Settings& settings) {
  if (!request.path.starts_with("s3://")) return {};
  const std::string_view region = response.header("x-amz-bucket-region");
  if (!region.empty() && region != settings.region) {
    return fmt::format("; the bucket is in {}, the request was for {}: set AWS_REGION={}", region,
                       settings.region, region);
  }
  const std::string_view location = response.header("location");
  if (response.status / 100 == 3 && is_remote(location)) {
    const std::size_t host = location.find("://") + 3;
    return fmt::format("; it redirects to {}: set AWS_ENDPOINT_URL to where the bucket is",
                       location.substr(0, location.find('/', host)));
  }
  if (!is_about_credentials(response)) return {};
  if (settings.credentials) {
    return fmt::format("; the credentials are those of {}", settings.credentials_from);
  }
  return fmt::format("; the request was not signed: {}; set them, or AWS_PROFILE",
                     settings.credentials_from);
}

// Whether "bytes 0-99/1234" begins at `offset`.
bool begins_at(std::string_view content_range, std::uint64_t offset) {
  constexpr std::string_view kUnit = "bytes ";
  if (!content_range.starts_with(kUnit)) return false;
  content_range.remove_prefix(kUnit.size());
  std::uint64_t begin = 0;
  const auto [end, error] =
      std::from_chars(content_range.data(), content_range.data() + content_range.size(), begin);
  return error == std::errc{} && begin == offset;
}

[[noreturn]] void fail_as_changed(const ObjectRequest& request) {
  throw FormatError({.file = request.path}, "the object was replaced after it was opened");
}

void require_range(const ObjectRequest& request, const ObjectResponse& response) {
  const ObjectRange& range = *request.range;
  const bool is_part = response.status == 206;
  if (is_part ? !begins_at(response.header("content-range"), range.offset) : range.offset > 0) {
    throw ServerError(
        fmt::format("{}: the server answers bytes {}-{} with {}", request.path, range.offset,
                    range.offset + range.size - 1,
                    is_part ? fmt::format("other bytes: {}", response.header("content-range"))
                            : "the whole object; it does not support ranges of bytes"));
  }
  if (response.body.size() != range.size) {
    throw FormatError(
        {.file = request.path, .offset = range.offset},
        fmt::format("the server sends {} bytes; must be {}", response.body.size(), range.size));
  }
}

// S3 writes a CRC as base64 of its big-endian bytes.
std::string checksum_text(std::uint32_t crc) {
  const std::array<unsigned char, 4> bytes{
      static_cast<unsigned char>(crc >> 24), static_cast<unsigned char>(crc >> 16),
      static_cast<unsigned char>(crc >> 8), static_cast<unsigned char>(crc)};
  std::array<char, sodium_base64_ENCODED_LEN(4, sodium_base64_VARIANT_ORIGINAL)> text;
  return sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(),
                           sodium_base64_VARIANT_ORIGINAL);
}

}  // namespace

bool checksum_matches(const HttpHeaders& headers, std::string_view body) {
  const auto agrees = [&](const char* name, std::uint32_t (*crc)(Bytes) noexcept) {
    const std::string_view named = header_of(headers, name);
    // A multipart object has a checksum of checksums, "CRC-PARTS", which is not checked.
    if (named.empty() || named.find('-') != std::string_view::npos) return true;
    return named == checksum_text(crc(std::as_bytes(std::span(body))));
  };
  return agrees("x-amz-checksum-crc32", crc32) && agrees("x-amz-checksum-crc32c", crc32c);
}

std::string refusal_text(int status, std::string_view body) {
  const std::string detail = s3_error_text(body);
  return fmt::format("the server answers {}{}{}{}", status, detail.empty() ? "" : " (", detail,
                     detail.empty() ? "" : ")");
}

void require_wanted(const ObjectRequest& request, const ObjectResponse& response,
                    const S3Settings& settings) {
  if (response.status == 404) return;
  const bool is_without_reason = request.head_only && response.status < 500;
  if (is_without_reason && response.status >= 300) return;
  if (response.status == 412) fail_as_changed(request);
  if (response.status != 200 && response.status != 206) {
    throw ServerError(fmt::format("{}: {}{}", request.path,
                                  refusal_text(response.status, response.body),
                                  remedy(request, response, settings)));
  }
  const std::string_view etag = response.header("etag");
  if (!request.etag.empty() && !etag.empty() && etag != request.etag) fail_as_changed(request);
  if (request.range && !request.head_only) require_range(request, response);
}

}  // namespace feedrate
