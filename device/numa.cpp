// SPDX-License-Identifier: Apache-2.0
#include "device/numa.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <climits>
#include <fstream>
#include <utility>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace feedrate {
namespace {

constexpr std::size_t kMaxNodes = 1024;  // The kernel's largest configuration.
constexpr std::size_t kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;
using NodeMask = std::array<unsigned long, kMaxNodes / kBitsPerWord>;

// The kernel expects the number of bits plus one.
constexpr unsigned long kMaskBits = kMaxNodes + 1;

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<NodeMask> mask_of(int node) {
  const auto bit = static_cast<std::size_t>(node);
  if (node < 0 || bit >= kMaxNodes) return std::nullopt;
  NodeMask mask{};
  mask[bit / kBitsPerWord] = 1UL << (bit % kBitsPerWord);
  return mask;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

int count_listed(std::string_view list) {
  int count = 0;
  do {
    const std::optional<int> first = take_number(list);
    const std::optional<int> last = take(list, '-') ? take_number(list) : first;
    if (!first || !last || *last < *first || *last >= static_cast<int>(kMaxNodes)) return 0;
    count += *last - *first + 1;
  } while (take(list, ','));
  return list.empty() ? count : 0;
}

int numa_nodes() {
  return std::max(1, count_listed(first_line("/sys/devices/system/node/has_memory")));
}

std::optional<int> numa_node_of_pci(std::string_view bus_id) {
  std::string name(bus_id);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string line = first_line("/sys/bus/pci/devices/" + name + "/numa_node");
  std::string_view text = line;
  return take_number(text);
}

struct PreferredNode::Policy {
  int mode = MPOL_DEFAULT;
  NodeMask nodes{};
};

PreferredNode::PreferredNode(std::optional<int> node) {
  const auto mask = node ? mask_of(*node) : std::nullopt;
  if (!mask) return;
  auto before = std::make_unique<Policy>();
  if (syscall(SYS_get_mempolicy, &before->mode, before->nodes.data(), kMaskBits, nullptr, 0UL) !=
      0) {
    return;
  }
  if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask->data(), kMaskBits) == 0) {
    before_ = std::move(before);
  }
}

PreferredNode::~PreferredNode() {
  if (!before_) return;
  // Cannot fail: these are the kernel's own values.
  static_cast<void>(syscall(SYS_set_mempolicy, before_->mode, before_->nodes.data(), kMaskBits));
}

}  // namespace feedrate
