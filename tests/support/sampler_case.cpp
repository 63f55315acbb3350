// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sampler_case.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "loaders/sampler.h"

namespace feedrate::testing {
namespace {

using Order = std::vector<std::uint64_t>;
using Batches = std::vector<Order>;

constexpr std::size_t kShownInFull = 40;

class SamplerCase {
 public:
  explicit SamplerCase(const std::string& text) {
    std::istringstream words(text);
    words >> kind;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) throw std::runtime_error("not a case: " + text);
      values_[word.substr(0, equals)] = std::stoull(word.substr(equals + 1));
    }
  }

  std::string kind;

  [[nodiscard]] std::uint64_t operator[](const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::runtime_error(fmt::format("{} is missing", name));
    return found->second;
  }

 private:
  std::map<std::string, std::uint64_t> values_;
};

Batches distributed(const SamplerCase& c) {
  BatchSampler sampler(
      {.records = c["records"],
       .batch_size = c["batch_size"],
       .shuffle = c["shuffle"] != 0,
       .drop_last = c["drop_last"] != 0,
       .seed = c["seed"],
       .shard = {
           .replicas = c["replicas"], .rank = c["rank"], .drop_last = c["shard_drop_last"] != 0}});
  sampler.start(c["epoch"]);
  Batches batches;
  while (auto task = sampler.next()) batches.push_back(std::move(task->indices));
  return batches;
}

Batches generator(const SamplerCase& c) {
  SeededRandomOrder orders(c["records"], c["seed"]);
  Order order = orders.next_epoch(true);
  for (std::uint64_t epoch = 1; epoch <= c["epoch"]; ++epoch) {
    order = orders.next_epoch(c["persistent_workers"] == 0);
  }
  Batches batches;
  const std::size_t size = c["batch_size"];
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    const std::size_t end = std::min(begin + size, order.size());
    if (end - begin < size && c["drop_last"] != 0) break;
    batches.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return batches;
}

std::string in_full(const Batches& batches) {
  std::vector<std::string> texts;
  for (const Order& batch : batches) texts.push_back(fmt::format("{}", fmt::join(batch, " ")));
  return fmt::format("{}", fmt::join(texts, "|"));
}

// Hashes the indices with the step of FNV-1a.
std::string summary(const Batches& batches) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Order& batch : batches) {
    for (const std::uint64_t index : batch) hash = (hash ^ index) * 0x100000001b3;
  }
  const Order first(batches.front().begin(),
                    batches.front().begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                  batches.front().size(), 8)));
  return fmt::format("batches={} last={} hash={:016x} first={}", batches.size(),
                     batches.back().size(), hash, fmt::join(first, " "));
}

}  // namespace

std::string answer_sampler_case(const std::string& text) {
  const SamplerCase parsed(text);
  if (parsed.kind != "distributed" && parsed.kind != "generator") {
    throw std::runtime_error("no such kind of case: " + text);
  }
  const Batches batches = parsed.kind == "generator" ? generator(parsed) : distributed(parsed);
  std::size_t count = 0;
  for (const Order& batch : batches) count += batch.size();
  return count <= kShownInFull ? in_full(batches) : summary(batches);
}

}  // namespace feedrate::testing
