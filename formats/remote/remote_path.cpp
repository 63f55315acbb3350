// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/remote_path.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::array<std::string_view, 3> kSchemes{"s3://", "http://", "https://"};
constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

}  // namespace

bool is_remote(std::string_view path) noexcept {
  return std::any_of(kSchemes.begin(), kSchemes.end(),
                     [&](std::string_view scheme) { return path.starts_with(scheme); });
}

RemotePath parse_remote_path(std::string_view path) {
  const std::size_t colon = path.find(':');
  const std::string_view rest = path.substr(colon + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  RemotePath parsed{.scheme = std::string(path.substr(0, colon)),
                    .host = std::string(rest.substr(0, slash)),
                    .key = std::string(rest.substr(std::min(slash + 1, rest.size())))};
  if (parsed.host.empty()) {
    throw ConfigError(fmt::format("{}: has no {}; must be {}", path,
                                  parsed.scheme == "s3" ? "bucket" : "host",
                                  parsed.scheme == "s3" ? "s3://BUCKET/KEY" : "http://HOST/PATH"));
  }
  const std::string sent = parsed.scheme == "s3" ? parsed.host : parsed.host + parsed.key;
  const bool is_plain = std::all_of(sent.begin(), sent.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7F;
  });
  if (!is_plain) {
    throw ConfigError(fmt::format("{}://…: must have no spaces, line breaks or control characters",
                                  parsed.scheme));
  }
  if (parsed.scheme != "s3" &&
      (parsed.host.find('@') != std::string::npos || parsed.key.find('?') != std::string::npos)) {
    throw ConfigError(
        fmt::format("{}://{}…: must have neither a password nor a query, which would "
                    "be in the results",
                    parsed.scheme, parsed.host.substr(parsed.host.find('@') + 1)));
  }
  return parsed;
}

std::string percent_encode(std::string_view text, bool keep_slash) {
  std::string encoded;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos || (keep_slash && c == '/')) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    unsigned char byte = 0;
    if (text.front() == '%' && text.size() >= 3 &&
        std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr == text.data() + 3) {
      decoded += static_cast<char>(byte);
      text.remove_prefix(3);
    } else {
      decoded += text.front();
      text.remove_prefix(1);
    }
  }
  return decoded;
}

}  // namespace feedrate
