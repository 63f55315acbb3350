// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/objects.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parse_number.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

bool is_same(const ObjectRequest& request, const std::string& path,
             const std::optional<ObjectRange>& range) {
  return request.path == path && request.range.has_value() == range.has_value() &&
         (!range || (request.range->offset == range->offset && request.range->size == range->size));
}

/// Twice a page of 1,000 keys of 1,024 bytes, each percent-encoded to three.
constexpr std::uint64_t kMostPageBytes = std::uint64_t{8} << 20;
std::string list_query(const std::string& prefix, bool deep, const std::string& token,
                       std::size_t most) {
  std::string query;
  if (!token.empty()) query += fmt::format("continuation-token={}&", percent_encode(token, false));
  if (!deep) query += "delimiter=%2F&";
  query += "encoding-type=url&list-type=2&";
  if (most < 1000) query += fmt::format("max-keys={}&", most);
  return query + "prefix=" + percent_encode(prefix, false);
}

}  // namespace

void require_end_of_list(const std::string& folder, std::size_t names, std::size_t pages) {
  constexpr std::size_t kMostNames = 5'000'000;  // About 1 GB of memory.
  // A server may send fewer than 1,000 names a page, and sometimes none.
  constexpr std::size_t kShortPages = 1'000;
  constexpr std::size_t kFewestNamesAPage = 10;
  if (names <= kMostNames && pages <= kShortPages + names / kFewestNamesAPage) return;
  throw ServerError(fmt::format(
      "{}: the server's list has {} names on {} pages and goes on; name a folder with fewer "
      "objects, or pack them into shards",
      folder, names, pages));
}

std::optional<ObjectInfo> RemoteObjects::info(const std::string& path, bool if_allowed) {
  const auto transfer = client().start({.path = path, .head_only = true});
  const ObjectResponse response = client().wait(*transfer);
  if (response.status == 404) return std::nullopt;
  if (if_allowed && (response.status == 401 || response.status == 403)) return std::nullopt;
  if (response.status >= 300) {  // The body of a GET response has the reason.
    const auto reason = client().start({.path = path, .range = ObjectRange{0, 1}});
    static_cast<void>(client().wait(*reason));
    throw ServerError(fmt::format("{}: the server answers HEAD with {}", path, response.status));
  }
  const auto size = parse_number<std::uint64_t>(response.header("content-length"));
  if (!size) throw ServerError(fmt::format("{}: the server sends no content-length", path));
  return ObjectInfo{.size = *size,
                    .mtime_ns = parse_server_time(response.header("last-modified")),
                    .etag = std::string(response.header("etag"))};
}

RemoteFolder RemoteObjects::list(const std::string& folder, bool deep, std::size_t most) {
  RemoteFolder listed;
  const RemotePath parsed = parse_remote_path(folder);
  if (parsed.scheme != "s3") return listed;
  std::string prefix = parsed.key;
  if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
  std::string token;
  for (std::size_t pages = 1;; ++pages) {
    const auto transfer = client().start({.path = fmt::format("s3://{}", parsed.host),
                                          .query = list_query(prefix, deep, token, most),
                                          .most_bytes = kMostPageBytes});
    const ObjectResponse response = client().wait(*transfer);
    if (response.status == 404) {
      throw ServerError(fmt::format("{}: there is no such bucket", folder));
    }
    ObjectPage page = parse_object_page(response.body, folder);
    for (ListedObject& object : page.objects) {
      // Web consoles create an empty object with a trailing slash for a folder.
      if (object.key.ends_with('/') || !object.key.starts_with(prefix)) continue;
      object.key.erase(0, prefix.size());
      listed.objects.push_back(std::move(object));
    }
    for (const std::string& name : page.prefixes) {
      if (name.size() > prefix.size() + 1) {
        listed.folders.push_back(name.substr(prefix.size(), name.size() - prefix.size() - 1));
      }
    }
    token = std::exchange(page.next, token);
    if (token.empty() || listed.objects.size() + listed.folders.size() >= most) break;
    if (token == page.next) {
      throw ServerError(fmt::format("{}: the server lists the same page again", folder));
    }
    require_end_of_list(folder, listed.objects.size() + listed.folders.size(), pages);
  }
  std::sort(listed.objects.begin(), listed.objects.end(),
            [](const ListedObject& a, const ListedObject& b) { return a.key < b.key; });
  std::sort(listed.folders.begin(), listed.folders.end());
  return listed;
}

std::optional<Bytes> RemoteObjects::read(const std::string& path, std::string_view etag,
                                         std::optional<ObjectRange> range) {
  const auto found = std::find_if(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
    return is_same(wanted.request, path, range);
  });
  ObjectClient::TransferPtr transfer;
  if (found != wanted_.end()) {
    transfer = std::move(found->transfer);
    wanted_.erase(found);
  }
  if (!transfer)
    transfer = client().start({.path = path, .range = range, .etag = std::string(etag)});
  auto bytes = answer(std::move(transfer));
  send();
  return bytes;
}

void RemoteObjects::expect(const std::string& path, std::string_view etag,
                           std::optional<ObjectRange> range) {
  if (was_sent_) wanted_.clear();
  was_sent_ = false;
  wanted_.push_back({{.path = path, .range = range, .etag = std::string(etag)}, nullptr});
}

void RemoteObjects::send() {
  was_sent_ = true;
  const auto last = wanted_.begin() + std::min<std::ptrdiff_t>(in_flight_, std::ssize(wanted_));
  for (auto wanted = wanted_.begin(); wanted != last; ++wanted) {
    if (!wanted->transfer) wanted->transfer = client().start(wanted->request);
  }
}

ObjectClient& RemoteObjects::client() {
  if (!client_) client_ = std::make_unique<ObjectClient>();
  return *client_;
}

std::optional<Bytes> RemoteObjects::answer(ObjectClient::TransferPtr transfer) {
  last_ = std::move(transfer);
  const ObjectResponse response = client().wait(*last_);
  if (response.status == 404) return std::nullopt;
  return std::as_bytes(std::span(response.body));
}

}  // namespace feedrate
