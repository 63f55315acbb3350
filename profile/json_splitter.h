// Cuts a JSON document that is too large to hold into its parts: the members of the outer object,
// and the elements of one array among them, each as text. It looks only for where a part ends, and
// so gets past much that no parser of JSON accepts: bare words, quotes and control characters
// within texts, stray commas, a missing end. Memory: a few MiB, whatever the file. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profile/byte_input.h"

namespace feedrate {

struct JsonPiece {
  enum class Kind : std::uint8_t { kMember, kElement };

  Kind kind = Kind::kElement;
  std::string key;        ///< of a member
  std::string_view text;  ///< valid until the next call; empty: damaged, or too long to hold
};

class JsonSplitter {
 public:
  /// The array is the member `array_key` of the outer object, or the whole document. Its elements
  /// are objects. `input` must outlive this.
  JsonSplitter(ByteInput& input, std::string array_key)
      : input_(input), array_key_(std::move(array_key)) {}

  [[nodiscard]] std::optional<JsonPiece> next();

  /// Says that the element which next() gave cannot be parsed. Then its end may have been missed,
  /// and the next element is looked for within it.
  void reject();

  /// For when next() has given nothing: whether there was the array, and whether the document
  /// stops before its end.
  [[nodiscard]] bool found_array() const noexcept { return found_array_; }
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  enum class Place : std::uint8_t { kStart, kMembers, kElements, kEnd };
  enum class Scanned : std::uint8_t { kWhole, kMore, kTooDeep };
  // How far the end of a value was looked for.
  struct Scan {
    std::size_t offset = 0;
    int depth = 0;
    bool in_text = false;
  };

  void begin();
  std::optional<JsonPiece> next_member();
  void leave_members(char first);
  std::optional<std::string> read_key();
  std::optional<JsonPiece> read_member(std::string key);
  std::optional<JsonPiece> next_element();
  std::optional<JsonPiece> read_element();
  void leave_array();

  JsonPiece skip_damage(std::size_t length);
  bool may_go_back(std::size_t length);
  bool find_element(std::size_t from, std::size_t to);
  void seek_element();

  static Scanned scan(std::string_view text, Scan& at);
  static bool leave_text(std::string_view text, Scan& at);
  char skip_blanks();
  char next_char();
  bool fill();
  void end(bool is_cut);
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(start_); }

  ByteInput& input_;
  const std::string array_key_;
  std::string buffer_;
  std::size_t start_ = 0;        // In buffer_, of what was not given out.
  std::size_t given_ = 0;        // Length of the element before start_, which may be rejected.
  std::uint64_t read_ = 0;       // Bytes that were ever in buffer_.
  std::uint64_t rescanned_ = 0;  // Bytes that were gone back.
  Place place_ = Place::kStart;
  bool is_bare_array_ = false;
  bool found_array_ = false;
  bool is_cut_ = false;
};

}  // namespace feedrate
