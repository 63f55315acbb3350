// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/endpoint.h"

#include <fmt/format.h>

namespace feedrate {
namespace {

/// The parts of `origin`; its path is the prefix of the object's.
ObjectUrl split_origin(const std::string& origin) {
  const std::size_t host = origin.find("://") + 3;
  const std::size_t slash = std::min(origin.find('/', host), origin.size());
  ObjectUrl url{origin.substr(0, slash), origin.substr(host, slash - host), origin.substr(slash)};
  const std::string_view port = origin.starts_with("https:") ? ":443" : ":80";
  if (url.host.ends_with(port)) url.host.erase(url.host.size() - port.size());
  return url;
}

}  // namespace

ObjectUrl object_url(const RemotePath& path, const S3Settings& settings) {
  if (path.scheme != "s3") {
    ObjectUrl url = split_origin(path.scheme + "://" + path.host);
    url.path = '/' + path.key;
    return url;
  }
  const std::string key = '/' + percent_encode(path.key, true);
  if (settings.endpoint.empty()) {
    const std::string aws = fmt::format("s3.{}.amazonaws.com{}", settings.region,
                                        settings.region.starts_with("cn-") ? ".cn" : "");
    if (path.host.find('.') == std::string::npos) {
      ObjectUrl url = split_origin(fmt::format("https://{}.{}", path.host, aws));
      url.path = key;
      return url;
    }
    return {"https://" + aws, aws, '/' + path.host + key};
  }
  ObjectUrl url = split_origin(settings.endpoint);
  url.path += '/' + path.host + (path.key.empty() ? "" : key);
  return url;
}

}  // namespace feedrate
