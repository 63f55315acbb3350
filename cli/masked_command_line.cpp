// SPDX-License-Identifier: Apache-2.0
#include "cli/masked_command_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace feedrate {
namespace {

constexpr std::string_view kMask = "***";

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_of_a_name(char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }

// "--wandb.apiKey" has the words wandb, api, key.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = '-';
  for (const char c : name) {
    const bool begins = !is_alphanumeric(before) || (is_upper(c) && !is_upper(before));
    if (is_alphanumeric(c)) {
      if (begins) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    before = c;
  }
  return words;
}

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 8> kAnywhere{"password",    "passwd",  "passphrase",
                                                      "secret",      "secrets", "credential",
                                                      "credentials", "apikey"};
  constexpr std::array<std::string_view, 7> kLast{"token",         "pwd",       "auth",  "sig",
                                                  "authorization", "signature", "bearer"};
  // "key" is a secret only after one of these words; "image_key" and "sort-key" name columns
  constexpr std::array<std::string_view, 15> kBeforeKey{
      "api", "access", "private", "account", "auth",  "encryption", "license", "signing",
      "ssh", "app",    "client",  "master",  "wandb", "service",    "storage"};
  const auto is_in = [](const auto& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  const std::vector<std::string> words = words_of(name);
  if (words.empty()) return false;
  const bool is_key =
      words.back() == "key" && (words.size() == 1 || is_in(kBeforeKey, words[words.size() - 2]));
  return is_key || is_in(kLast, words.back()) ||
         std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_in(kAnywhere, word); });
}

std::size_t end_of_value(std::string_view text, std::size_t begin, char quote) {
  const std::string_view ends = quote != '\0' ? std::string_view(&quote, 1) : " \t\n,;&)}]\"'";
  return std::min(text.find_first_of(ends, begin), text.size());
}

// Masks "name=value" and "name: value" within a text, as in a query, JSON or code.
std::string without_named_values(std::string_view text) {
  std::string masked;
  std::size_t done = 0;
  for (std::size_t at = text.find_first_of("=:"); at != std::string_view::npos;
       at = text.find_first_of("=:", std::max(at + 1, done))) {
    std::size_t end = at;
    while (end > done && (text[end - 1] == ' ' || text[end - 1] == '"' || text[end - 1] == '\'')) {
      --end;
    }
    std::size_t begin = end;
    while (begin > done && is_of_a_name(text[begin - 1])) --begin;
    if (!is_secret(text.substr(begin, end - begin)) || text.substr(at, 3) == "://") continue;
    std::size_t value = at + 1;
    while (value < text.size() && text[value] == ' ') ++value;
    const bool is_quoted = value < text.size() && (text[value] == '"' || text[value] == '\'');
    if (is_quoted) ++value;
    const std::size_t value_end = end_of_value(text, value, is_quoted ? text[value - 1] : '\0');
    if (value_end == value) continue;
    masked.append(text.substr(done, value - done)).append(kMask);
    done = value_end;
  }
  return masked.append(text.substr(done));
}

// Masks the password in "https://user:password@host", and a long token in "https://token@host".
std::string without_passwords(std::string_view text) {
  constexpr std::size_t kLongUser = 20;
  std::string masked;
  std::size_t done = 0;
  for (std::size_t at = text.find("://"); at != std::string_view::npos;
       at = text.find("://", at + 3)) {
    const std::size_t user = at + 3;
    const std::size_t end = text.find_first_of("/?# \"'", user);
    const std::size_t sign = text.substr(0, end).rfind('@');
    if (sign == std::string_view::npos || sign < user) continue;
    const std::size_t colon = text.substr(0, sign).find(':', user);
    if (colon == std::string_view::npos && sign - user < kLongUser) continue;
    const std::size_t begin = colon == std::string_view::npos ? user : colon + 1;
    masked.append(text.substr(done, begin - done)).append(kMask);
    done = sign;
  }
  return masked.append(text.substr(done));
}

// Masks keys with known prefixes: AWS, GitHub, GitLab, Hugging Face, OpenAI, Slack.
std::string without_keys(std::string_view text) {
  constexpr std::array<std::string_view, 11> kBegins{"AKIA",        "ASIA",  "ghp_",   "gho_",
                                                     "github_pat_", "ghs_",  "glpat-", "hf_",
                                                     "sk-",         "xoxb-", "xoxp-"};
  constexpr std::size_t kShortest = 20;
  std::string masked;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_of_a_name(text[end]) && text[end] != '.')) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_key = word.size() >= kShortest &&
                        std::any_of(kBegins.begin(), kBegins.end(), [&](std::string_view begin) {
                          return word.starts_with(begin);
                        });
    masked.append(is_key ? kMask : word);
    if (end < text.size()) masked += text[end];
    at = end + 1;
  }
  return masked;
}

bool is_option(std::string_view argument) { return argument.starts_with('-'); }

std::string masked(const std::string& argument) {
  const std::size_t sign = argument.find('=');
  const std::string_view name = std::string_view(argument).substr(0, sign);
  if (sign != std::string::npos && std::all_of(name.begin(), name.end(), is_of_a_name) &&
      is_secret(name)) {
    return std::string(name) + "=" + std::string(kMask);
  }
  return without_keys(without_passwords(without_named_values(argument)));
}

}  // namespace

std::string masked_command_line(const std::vector<std::string>& arguments) {
  std::string line;
  bool is_value_secret = false;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    const bool is_value = is_value_secret && !is_option(argument);
    line += is_value ? std::string(kMask) : masked(argument);
    is_value_secret =
        is_option(argument) && argument.find('=') == std::string::npos && is_secret(argument);
  }
  return line;
}

}  // namespace feedrate
