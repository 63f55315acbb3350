// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/s3_xml.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <expat.h>

#include "core/error.h"
#include "core/parse_number.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

/// The names of an element and its ancestors, the outermost first.
using ElementPath = std::vector<std::string>;
/// Called at an element's end, with the text after its last child.
using TakeElement = std::function<void(const ElementPath& path, const std::string& text)>;

struct FreeParser {
  void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
};

/// Calls `take` for each element of a document. expat builds no tree and does not recurse. Refuses
/// DTDs, which may declare entities.
class ElementReader {
 public:
  explicit ElementReader(TakeElement take)
      : parser_(XML_ParserCreate(nullptr)), take_(std::move(take)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &begin, &end);
    XML_SetCharacterDataHandler(parser_.get(), &add_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &refuse_type);
  }

  /// Returns false if `xml` is malformed or nested deeper than kDeepest.
  bool read(std::string_view xml) {
    if (xml.size() > std::numeric_limits<int>::max()) return false;
    const auto status =
        XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (failure_) std::rethrow_exception(failure_);
    return status == XML_STATUS_OK;
  }

 private:
  static constexpr std::size_t kDeepest = 32;  // S3 nests four.

  using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser>;

  void stop() { XML_StopParser(parser_.get(), XML_FALSE); }

  // Exceptions must not pass through expat.
  template <typename Action>
  void guarded(Action action) noexcept {
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
      stop();
    }
  }

  static void begin(void* self, const XML_Char* name, const XML_Char** /*attributes*/) {
    auto& reader = *static_cast<ElementReader*>(self);
    reader.guarded([&] {
      if (reader.path_.size() == kDeepest) return reader.stop();
      reader.path_.emplace_back(name);
      reader.text_.clear();
    });
  }

  static void end(void* self, const XML_Char* /*name*/) {
    auto& reader = *static_cast<ElementReader*>(self);
    reader.guarded([&] {
      reader.take_(reader.path_, reader.text_);
      reader.path_.pop_back();
      reader.text_.clear();
    });
  }

  static void add_text(void* self, const XML_Char* text, int size) {
    auto& reader = *static_cast<ElementReader*>(self);
    reader.guarded([&] { reader.text_.append(text, static_cast<std::size_t>(size)); });
  }

  static void refuse_type(void* self, const XML_Char* /*name*/, const XML_Char* /*system*/,
                          const XML_Char* /*open*/, int /*has_subset*/) {
    static_cast<ElementReader*>(self)->stop();
  }

  Parser parser_;
  TakeElement take_;
  ElementPath path_;
  std::string text_;
  std::exception_ptr failure_;
};

/// Collects a page; keys stay encoded until page().
class PageReader {
 public:
  explicit PageReader(const std::string& path) : path_(path) {}

  void take(const ElementPath& path, const std::string& text) {
    if (path.front() != "ListBucketResult") return;
    is_page_ = true;
    if (path.size() == 2) take_member(path[1], text);
    if (path.size() == 3 && path[1] == "Contents") take_fact(path[2], text);
    if (path.size() == 3 && path[1] == "CommonPrefixes" && path[2] == "Prefix") {
      page_.prefixes.push_back(text);
    }
  }

  ObjectPage page() && {
    if (!is_page_)
      throw FormatError({.file = path_}, "the server's list of objects is no ListBucketResult");
    if (is_truncated_ && page_.next.empty()) {
      throw FormatError({.file = path_},
                        "the server's list of objects is truncated without a continuation token");
    }
    if (!is_truncated_) page_.next.clear();
    if (is_encoded_) decode_keys();
    return std::move(page_);
  }

 private:
  void take_member(std::string_view name, const std::string& text) {
    if (name == "EncodingType") is_encoded_ = text == "url";
    if (name == "IsTruncated") is_truncated_ = text == "true";
    if (name == "NextContinuationToken") page_.next = text;
    if (name == "Contents") take_object();
  }

  void take_fact(std::string_view name, const std::string& text) {
    if (name == "Key") object_.key = text;
    if (name == "Size") size_ = parse_number<std::uint64_t>(text);
    if (name == "LastModified") object_.info.mtime_ns = parse_server_time(text);
    if (name == "ETag") object_.info.etag = text;
  }

  void take_object() {
    if (!size_) throw FormatError({.file = path_}, "the server's list of objects has no size");
    object_.info.size = *std::exchange(size_, std::nullopt);
    page_.objects.push_back(std::exchange(object_, {}));
  }

  // With encoding-type=url some servers write "+" for a space, and others "%20".
  void decode_keys() {
    const auto decode = [](std::string& key) {
      std::replace(key.begin(), key.end(), '+', ' ');
      key = percent_decode(key);
    };
    for (ListedObject& object : page_.objects) decode(object.key);
    for (std::string& prefix : page_.prefixes) decode(prefix);
  }

  const std::string& path_;
  bool is_page_ = false;
  bool is_encoded_ = false;
  bool is_truncated_ = false;
  ObjectPage page_;
  ListedObject object_;
  std::optional<std::uint64_t> size_;
};

}  // namespace

ObjectPage parse_object_page(std::string_view xml, const std::string& path) {
  PageReader page(path);
  ElementReader reader(
      [&](const ElementPath& element, const std::string& text) { page.take(element, text); });
  if (!reader.read(xml)) {
    throw FormatError({.file = path}, "the server's list of objects is no ListBucketResult");
  }
  return std::move(page).page();
}

std::string s3_error_text(std::string_view xml) {
  std::string code, message;
  ElementReader reader([&](const ElementPath& path, const std::string& text) {
    if (path.size() != 2 || path.front() != "Error") return;
    if (path.back() == "Code") code = text;
    if (path.back() == "Message") message = text;
  });
  if (!reader.read(xml)) return {};
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

std::int64_t parse_server_time(std::string_view text) {
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%a, %d %b %Y %H:%M:%S GMT"}) {
    std::tm parts{};
    if (::strptime(std::string(text).c_str(), form, &parts) == nullptr) continue;
    std::int64_t nanoseconds = 0;
    const bool fits =
        !__builtin_mul_overflow(std::int64_t{::timegm(&parts)}, 1'000'000'000, &nanoseconds);
    return fits ? nanoseconds : 0;
  }
  return 0;
}

}  // namespace feedrate
