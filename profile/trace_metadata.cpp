#include "profile/trace_metadata.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "profile/json_repair.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestFact = 200;

Json parse(std::string_view text) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_discarded()) return json;
  const std::string repaired = repaired_json(text);
  return Json::parse(repaired, nullptr, false);
}

std::uint64_t whole_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

int small_number(const Json& object, const char* key) {
  constexpr std::uint64_t kMost = 1'000'000;
  return static_cast<int>(std::min(whole_number(object, key), kMost));
}

}  // namespace

std::vector<GpuProperties> parse_device_properties(std::string_view text) {
  std::vector<GpuProperties> gpus;
  const Json list = parse(text);
  if (!list.is_array()) return gpus;
  for (const Json& object : list) {
    if (!object.is_object()) continue;
    GpuProperties gpu;
    gpu.device = small_number(object, "id");
    const auto name = object.find("name");
    if (name != object.end() && name->is_string()) gpu.name = name->get<std::string>();
    gpu.memory_bytes = whole_number(object, "totalGlobalMem");
    gpu.compute_major = small_number(object, "computeMajor");
    gpu.compute_minor = small_number(object, "computeMinor");
    gpu.multiprocessors = small_number(object, "numSms");
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::optional<std::uint64_t> parse_rank(std::string_view text) {
  const Json info = parse(text);
  if (!info.is_object()) return std::nullopt;
  const auto rank = info.find("rank");
  if (rank == info.end() || !rank->is_number_unsigned()) return std::nullopt;
  return rank->get<std::uint64_t>();
}

std::optional<std::string> parse_fact(std::string_view text) {
  if (text.size() > kLongestFact) return std::nullopt;
  const Json json = parse(text);
  if (json.is_string()) return json.get<std::string>();
  if (json.is_primitive() && !json.is_null()) return json.dump();
  return std::nullopt;
}

}  // namespace feedrate
