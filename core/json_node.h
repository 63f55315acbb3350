// SPDX-License-Identifier: Apache-2.0
// Checked access to JSON from outside: files, messages, values in databases. One thread a document.
//
// Errors are FormatErrors that name the text and the path of the value in it:
// "run.json: $.cells[3].settings.format: is 7; must be a text".
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace feedrate {

/// Deeper texts are refused: writing, comparing and walking a value call themselves for each level,
/// and the stack is limited. Far more than any JSON that feedrate reads has.
inline constexpr std::size_t kDeepestJson = 64;

class JsonNode {
 public:
  /// Parses a whole text. `name` begins each error. Throws where it is no JSON, has a number that
  /// no double holds, or is nested too deep.
  JsonNode(std::string_view text, std::string name);

  /// Throws where this is no object, or has no such member.
  [[nodiscard]] JsonNode at(std::string_view key) const;
  /// Null where there is no such member.
  [[nodiscard]] JsonNode find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_object() const;

  [[nodiscard]] std::string text() const;
  /// Empty where this is null.
  [[nodiscard]] std::string text_or_empty() const;
  [[nodiscard]] bool flag() const;
  /// A float is refused: converting 1e77 to an integer is undefined, and 1.5 would be rounded.
  [[nodiscard]] std::int64_t integer(
      std::int64_t least = std::numeric_limits<std::int64_t>::min()) const;
  [[nodiscard]] std::uint64_t whole(
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] double number() const;

  /// Throw where this is no array, or no object. In the order of the text.
  [[nodiscard]] std::vector<JsonNode> elements() const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  /// Null is NaN.
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::int64_t> integers() const;

  /// The value itself, for what none of the above reads. It lives as long as a node of its text.
  [[nodiscard]] const nlohmann::ordered_json& json() const { return *json_; }
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  struct Document;
  JsonNode(std::shared_ptr<const Document> document, const nlohmann::ordered_json& json)
      : document_(std::move(document)), json_(&json) {}
  [[nodiscard]] std::string path() const;
  void require(bool is_so, std::string_view wanted) const;

  std::shared_ptr<const Document> document_;
  const nlohmann::ordered_json* json_;
  // The object that lacks the key `key_`, for an absent member. Null otherwise.
  const nlohmann::ordered_json* parent_ = nullptr;
  std::string key_ = {};
};

}  // namespace feedrate
