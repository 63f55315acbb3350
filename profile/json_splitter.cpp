#include "profile/json_splitter.h"

namespace feedrate {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kLongestElement = std::size_t{4} << 20;
constexpr std::size_t kLongestKey = std::size_t{4} << 10;
constexpr int kDeepest = 64;
// What may be gone back beyond as much as was read: damage must cost no more than time in
// proportion to the file.
constexpr std::uint64_t kFreeRescan = std::uint64_t{16} << 20;
// The blanks that a search for an element looks across at the border of two chunks.
constexpr std::size_t kBorder = 256;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::optional<JsonPiece> JsonSplitter::next() {
  given_ = 0;
  while (place_ != Place::kEnd) {
    std::optional<JsonPiece> piece;
    if (place_ == Place::kStart) begin();
    if (place_ == Place::kMembers) piece = next_member();
    if (!piece && place_ == Place::kElements) piece = next_element();
    if (piece) return piece;
  }
  return std::nullopt;
}

void JsonSplitter::begin() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (rest().size() < kByteOrderMark.size() && fill()) continue;
  if (rest().starts_with(kByteOrderMark)) start_ += kByteOrderMark.size();
  const char first = next_char();
  if (first != '{' && first != '[') return end(true);
  ++start_;
  is_bare_array_ = found_array_ = first == '[';
  place_ = is_bare_array_ ? Place::kElements : Place::kMembers;
}

std::optional<JsonPiece> JsonSplitter::next_member() {
  const char first = next_char();
  if (first != '"' && first != '\0' && found_array_) {
    leave_members(first);
    return std::nullopt;
  }
  std::optional<std::string> key;
  if (first == '"') key = read_key();
  if (!key || next_char() != ':') {
    end(true);
    return std::nullopt;
  }
  ++start_;
  const char value = skip_blanks();
  if (*key != array_key_ || value != '[') return read_member(std::move(*key));
  ++start_;
  found_array_ = true;
  place_ = Place::kElements;
  return std::nullopt;
}

// The document's own brace has nothing behind it. Another is of a damaged element, and so was the
// bracket that seemed to end the array.
void JsonSplitter::leave_members(char first) {
  place_ = Place::kElements;
  if (first != '}') return;
  ++start_;
  if (skip_blanks() == '\0') end(false);
}

std::optional<std::string> JsonSplitter::read_key() {
  for (Scan at; at.offset <= kLongestKey && rest().size() <= kLongestElement;) {
    if (scan(rest(), at) == Scanned::kWhole) {
      std::string key(rest().substr(1, at.offset - 2));
      start_ += at.offset;
      return key;
    }
    if (!fill()) break;
  }
  return std::nullopt;
}

std::optional<JsonPiece> JsonSplitter::read_member(std::string key) {
  bool is_held = true;
  for (Scan at; rest().size() - at.offset <= kLongestElement;) {
    const Scanned found = scan(rest(), at);
    if (found == Scanned::kWhole) {
      const std::string_view text = rest().substr(0, at.offset);
      start_ += at.offset;
      return JsonPiece{JsonPiece::Kind::kMember, std::move(key), is_held ? text : ""};
    }
    if (found == Scanned::kTooDeep) break;
    if (at.offset > kLongestElement) {
      is_held = false;
      start_ += std::exchange(at.offset, 0);
    }
    if (!fill()) break;
  }
  end(true);
  return std::nullopt;
}

std::optional<JsonPiece> JsonSplitter::next_element() {
  switch (next_char()) {
    case '\0':
      // The format of traces leaves the bracket at the end of a bare array to the writer.
      end(!is_bare_array_);
      return std::nullopt;
    case ']':
      leave_array();
      return std::nullopt;
    case '}':  // What is left of a damaged element.
      ++start_;
      return std::nullopt;
    case '{':
      return read_element();
    default:
      return skip_damage(0);
  }
}

std::optional<JsonPiece> JsonSplitter::read_element() {
  for (Scan at;;) {
    const Scanned found = scan(rest(), at);
    if (found == Scanned::kWhole) {
      const std::string_view text = rest().substr(0, at.offset);
      start_ += given_ = at.offset;
      return JsonPiece{JsonPiece::Kind::kElement, {}, text};
    }
    if (found == Scanned::kTooDeep || rest().size() > kLongestElement) {
      return skip_damage(at.offset);
    }
    if (fill()) continue;
    if (may_go_back(rest().size()) && find_element(start_ + 1, buffer_.size())) return JsonPiece{};
    end(true);
    return std::nullopt;
  }
}

void JsonSplitter::leave_array() {
  ++start_;
  if (!is_bare_array_) {
    place_ = Place::kMembers;
  } else if (skip_blanks() == '\0') {
    end(false);
  }
}

void JsonSplitter::reject() {
  const std::size_t from = start_ - given_ + 1;
  if (given_ > 0 && may_go_back(given_)) static_cast<void>(find_element(from, start_));
  given_ = 0;
}

// The element at start_ could be followed for `length` bytes and does not end, or is none.
JsonPiece JsonSplitter::skip_damage(std::size_t length) {
  start_ += may_go_back(length) ? 1 : length;
  seek_element();
  return {};
}

bool JsonSplitter::may_go_back(std::size_t length) {
  if (rescanned_ + length > read_ + kFreeRescan) return false;
  rescanned_ += length;
  return true;
}

// Sets start_ to a '{' in [from, to) that looks like an element's: a separator before, a text
// behind. The objects within an event of a profiler follow a colon.
bool JsonSplitter::find_element(std::size_t from, std::size_t to) {
  for (std::size_t at = buffer_.find('{', from); at < to; at = buffer_.find('{', at + 1)) {
    std::size_t before = at;
    while (before > 0 && is_blank(buffer_[before - 1])) --before;
    const char separator = before > 0 ? buffer_[before - 1] : '\0';
    std::size_t after = at + 1;
    while (after < buffer_.size() && is_blank(buffer_[after])) ++after;
    const bool is_object = after < buffer_.size() && buffer_[after] == '"';
    if (is_object && (separator == ',' || separator == '[' || separator == '}')) {
      start_ = at;
      return true;
    }
  }
  return false;
}

void JsonSplitter::seek_element() {
  while (!find_element(start_, buffer_.size())) {
    if (buffer_.size() - start_ > kBorder) start_ = buffer_.size() - kBorder;
    if (!fill()) return end(true);
  }
}

// A value ends behind its last bracket or quote, a bare word before what separates.
JsonSplitter::Scanned JsonSplitter::scan(std::string_view text, Scan& at) {
  while (at.offset < text.size()) {
    if (at.in_text) {
      if (!leave_text(text, at)) return Scanned::kMore;
      if (at.depth == 0) return Scanned::kWhole;
      continue;
    }
    switch (text[at.offset]) {
      case '"':
        at.in_text = true;
        break;
      case '{':
      case '[':
        if (++at.depth > kDeepest) return Scanned::kTooDeep;
        break;
      case '}':
      case ']':
        if (at.depth == 0) return Scanned::kWhole;
        if (--at.depth == 0) {
          ++at.offset;
          return Scanned::kWhole;
        }
        break;
      case ',':
        if (at.depth == 0) return Scanned::kWhole;
        break;
      default:
        break;
    }
    ++at.offset;
  }
  return Scanned::kMore;
}

// A quote ends a text only before what may stand behind one: names were once written unescaped.
bool JsonSplitter::leave_text(std::string_view text, Scan& at) {
  for (; at.offset < text.size(); ++at.offset) {
    const char c = text[at.offset];
    if (c != '"' && c != '\\') continue;
    std::size_t after = at.offset + 1;
    while (c == '"' && after < text.size() && is_blank(text[after])) ++after;
    if (after == text.size()) return false;
    if (c == '\\') {
      ++at.offset;
      continue;
    }
    const char next = text[after];
    if (next == ',' || next == ':' || next == '}' || next == ']') {
      ++at.offset;
      at.in_text = false;
      return true;
    }
  }
  return false;
}

// What comes behind blanks; not past it. A zero byte, as a crash leaves at the end of a file,
// counts as the end.
char JsonSplitter::skip_blanks() {
  for (;; ++start_) {
    if (start_ == buffer_.size() && !fill()) return '\0';
    if (!is_blank(buffer_[start_])) return buffer_[start_];
  }
}

// The same behind blanks and commas.
char JsonSplitter::next_char() {
  char next = skip_blanks();
  for (; next == ','; next = skip_blanks()) ++start_;
  return next;
}

bool JsonSplitter::fill() {
  buffer_.erase(0, start_);
  start_ = 0;
  const std::size_t old = buffer_.size();
  buffer_.resize(old + kChunk);
  const std::size_t count = input_.read({buffer_.data() + old, kChunk});
  buffer_.resize(old + count);
  read_ += count;
  return count > 0;
}

void JsonSplitter::end(bool is_cut) {
  is_cut_ = is_cut;
  place_ = Place::kEnd;
}

}  // namespace feedrate
