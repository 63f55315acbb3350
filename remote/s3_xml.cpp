// SPDX-License-Identifier: Apache-2.0
#include "remote/s3_xml.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <sstream>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include "core/error.h"
#include "core/parse_number.h"
#include "remote/remote_path.h"

namespace feedrate {
namespace {

using Tree = boost::property_tree::ptree;

/// S3 nests four; the parser calls itself for each.
constexpr int kDeepest = 32;

bool nests_too_deep(std::string_view xml) {
  int depth = 0;
  for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    depth += xml.substr(at).starts_with("</") ? -1 : 1;
    // Elements without content and declarations do not nest, and are counted back here.
    const std::size_t end = xml.find('>', at);
    if (end == std::string_view::npos) break;
    const char first = xml[at + 1];
    if (xml[end - 1] == '/' || first == '?' || first == '!') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

std::optional<Tree> parse(std::string_view xml, const std::string& root) {
  if (nests_too_deep(xml)) return std::nullopt;
  try {
    std::istringstream stream{std::string(xml)};
    Tree tree;
    boost::property_tree::read_xml(stream, tree, boost::property_tree::xml_parser::trim_whitespace);
    if (const auto found = tree.get_child_optional(root)) return *found;
  } catch (const boost::property_tree::ptree_error&) {  // Then it is no XML.
  }
  return std::nullopt;
}

// As encoding-type=url writes it: by servers with "+" for a space, and by others with "%20".
std::string decoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decode(text);
}

}  // namespace

ObjectPage parse_object_page(std::string_view xml, const std::string& path) {
  const std::optional<Tree> tree = parse(xml, "ListBucketResult");
  if (!tree)
    throw FormatError({.file = path}, "the server's list of objects is no ListBucketResult");
  ObjectPage page;
  const bool is_encoded = tree->get("EncodingType", "") == "url";
  const auto key_of = [&](const Tree& child, const char* name) {
    const std::string text = child.get(name, "");
    return is_encoded ? decoded(text) : text;
  };
  for (const auto& [name, child] : *tree) {
    if (name == "CommonPrefixes") {
      page.prefixes.push_back(key_of(child, "Prefix"));
    } else if (name == "Contents") {
      const auto size = parse_number<std::uint64_t>(child.get("Size", ""));
      if (!size) throw FormatError({.file = path}, "the server's list of objects has no size");
      page.objects.push_back({.key = key_of(child, "Key"),
                              .info = {.size = *size,
                                       .mtime_ns = parse_server_time(child.get("LastModified", "")),
                                       .etag = child.get("ETag", "")}});
    }
  }
  if (tree->get("IsTruncated", "") == "true") {
    page.next = tree->get("NextContinuationToken", "");
    if (page.next.empty()) {
      throw FormatError({.file = path},
                        "the server's list of objects says that it goes on, not where");
    }
  }
  return page;
}

std::string s3_error_text(std::string_view xml) {
  const std::optional<Tree> tree = parse(xml, "Error");
  if (!tree) return {};
  const std::string code = tree->get("Code", "");
  const std::string message = tree->get("Message", "");
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

std::int64_t parse_server_time(std::string_view text) {
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%a, %d %b %Y %H:%M:%S GMT"}) {
    std::tm parts{};
    if (::strptime(std::string(text).c_str(), form, &parts) == nullptr) continue;
    return std::int64_t{::timegm(&parts)} * 1'000'000'000;
  }
  return 0;
}

}  // namespace feedrate
