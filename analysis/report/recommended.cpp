// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/recommended.h"

#include "analysis/report/json.h"
#include "core/host/durable_file.h"
#include "core/json_node.h"

namespace feedrate {
namespace {

Recommended parse(const JsonNode& node) {
  return {.settings = read_settings(node.at("recommended").at("settings")),
          .confidence = node.at("confidence").number(),
          .confidence_asked = node.at("confidence_asked").number(),
          .claim = node.at("claim").text(),
          .text = node.at("text").text(),
          .code = node.at("code").text()};
}

}  // namespace

std::optional<Recommended> read_recommended(const std::filesystem::path& folder,
                                            const RunResult& run) {
  const std::filesystem::path file = folder / kRecommendationFile;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  const JsonNode node(read_whole_file(file), file.string());
  if (node.find("started_at").text_or_empty() != run.started_at) return std::nullopt;
  return parse(node);
}

}  // namespace feedrate
