// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/recommended.h"

#include <nlohmann/json.hpp>

#include "analysis/report/json.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/parse_json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Recommended parse(const Json& json, const std::string& file) {
  return {.settings = settings_from_json(json.at("recommended").at("settings").dump(),
                                         file + ": recommended.settings"),
          .confidence = json.at("confidence").get<double>(),
          .confidence_asked = json.at("confidence_asked").get<double>(),
          .claim = json.at("claim").get<std::string>(),
          .text = json.at("text").get<std::string>(),
          .code = json.at("code").get<std::string>()};
}

}  // namespace

std::optional<Recommended> read_recommended(const std::filesystem::path& folder,
                                            const RunResult& run) {
  const std::filesystem::path file = folder / kRecommendationFile;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    const Json json = parse_json<Json>(read_whole_file(file), file.string());
    if (json.value("started_at", std::string()) != run.started_at) return std::nullopt;
    return parse(json, file.string());
  } catch (const Json::exception& problem) {
    throw FormatError({.file = file.string()}, problem.what());
  }
}

}  // namespace feedrate
