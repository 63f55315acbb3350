// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "loaders/sampler.h"

namespace feedrate {
namespace {

// Returns a number of records.
std::size_t pool_size(std::size_t records, std::size_t batch_size) {
  constexpr std::size_t kMostBatches = 50;
  const std::size_t quarter = records / (4 * batch_size);
  return std::clamp<std::size_t>(quarter, 1, kMostBatches) * batch_size;
}

}  // namespace

std::vector<std::uint64_t> group_by_length(std::vector<std::uint64_t> order,
                                           std::span<const std::uint32_t> lengths,
                                           std::size_t batch_size) {
  const std::size_t pool = pool_size(order.size(), batch_size);
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += pool) {
    const std::size_t end = std::min(begin + pool, order.size());
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::uint64_t a, std::uint64_t b) { return lengths[a] > lengths[b]; });
    if (lengths[order[begin]] > lengths[order[longest]]) longest = begin;
  }
  if (longest > 0) std::swap(order[0], order[longest]);
  return order;
}

}  // namespace feedrate
