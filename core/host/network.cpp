// SPDX-License-Identifier: Apache-2.0
#include "core/host/network.h"

#include <algorithm>
#include <string_view>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& root, std::string_view interface) {
  return root / "sys/class/net" / interface;
}

// A line is "  eth0: bytes packets errs drop fifo frame compressed multicast bytes …", received
// first.
std::optional<NetworkInterface> parse_interface(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return std::nullopt;
  const std::vector<std::string_view> words = split_words(line.substr(colon + 1));
  if (words.size() < 9) return std::nullopt;
  const auto received = parse_unsigned(words[0]);
  const auto sent = parse_unsigned(words[8]);
  if (!received || !sent) return std::nullopt;
  return NetworkInterface{std::string(trimmed(line.substr(0, colon))), *received, *sent};
}

}  // namespace

std::vector<NetworkInterface> read_network(const fs::path& root) {
  const std::string text = read_text(root / "proc/net/dev").value_or("");
  std::vector<NetworkInterface> all;
  for (const std::string_view line : split_lines(text)) {
    if (auto one = parse_interface(line); one && one->name != "lo") all.push_back(*std::move(one));
  }
  std::vector<NetworkInterface> real;
  std::copy_if(all.begin(), all.end(), std::back_inserter(real), [&](const auto& one) {
    std::error_code error;
    return fs::exists(folder_of(root, one.name) / "device", error);
  });
  return real.empty() ? all : real;
}

std::optional<double> link_speed(const std::string& interface, const fs::path& root) {
  const auto megabits = parse_unsigned(read_trimmed(folder_of(root, interface) / "speed"));
  constexpr std::uint64_t kUnknown = 0xFFFFFFFF;  // Some drivers report -1.
  if (!megabits || *megabits == 0 || *megabits >= kUnknown) return std::nullopt;
  return static_cast<double>(*megabits) * 1e6 / 8;
}

}  // namespace feedrate
