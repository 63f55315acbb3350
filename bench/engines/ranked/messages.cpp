// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/report/json.h"
#include "core/error.h"
#include "core/json_node.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr const char* kName = "a rank's message";

// Paths and system messages may hold bytes that are not UTF-8.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Read>
auto read(std::string_view text, Read read) try {
  return read(JsonNode(text, kName));
} catch (const FormatError& error) {
  throw Error(fmt::format("{}; start the same program on all nodes", error.what()));
}

}  // namespace

SweepConfig RankRequest::config() const {
  SweepConfig config = parse_config(config_text, config_name + ".yaml");
  config.measure.steps = steps;
  config.measure.epochs = epochs;
  config.measure.seed = seed;
  return config;
}

std::string to_text(const RankRequest& request) {
  Json catalog = Json::object();
  for (const auto& [name, dataset] : request.catalog) {
    catalog[name] = {{"path", dataset.path.string()},
                     {"problem", dataset.problem},
                     {"records", dataset.records},
                     {"bytes", dataset.bytes}};
    if (dataset.staged) catalog[name]["staging_time"] = dataset.staged->seconds;
  }
  return dump({{"config_name", request.config_name},
               {"config_text", request.config_text},
               {"steps", request.steps},
               {"epochs", request.epochs},
               {"seed", request.seed},
               {"catalog", catalog},
               {"settings", settings_to_json(request.settings)}});
}

std::string to_text(const RankReport& report) {
  Repeat all = report.repeat;
  all.ranks = {report.figures};
  return dump({{"error", report.error},
               {"is_consequence", report.is_consequence},
               {"repeat", repeat_to_json(all)},
               {"damaged", report.damaged},
               {"warnings", report.warnings}});
}

RankRequest request_from_text(std::string_view text) {
  return read(text, [](const JsonNode& node) {
    RankRequest request;
    request.config_name = node.at("config_name").text();
    request.config_text = node.at("config_text").text();
    request.steps = node.at("steps").whole();
    request.epochs = node.at("epochs").whole();
    request.seed = node.at("seed").whole();
    for (const auto& [name, dataset] : node.at("catalog").members()) {
      SweepDataset& known = request.catalog[name];
      known = {dataset.at("path").text(), dataset.at("problem").text(),
               dataset.at("records").whole(), dataset.at("bytes").whole()};
      // The leader owns the copy.
      if (!dataset.has("staging_time")) continue;
      known.staged = StagedDataset{.path = known.path,
                                   .bytes = known.bytes,
                                   .seconds = dataset.at("staging_time").number(),
                                   .folder = nullptr};
    }
    request.settings = settings_from_json(node.at("settings").text(), kName);
    return request;
  });
}

RankReport report_from_text(std::string_view text) {
  return read(text, [](const JsonNode& node) {
    RankReport report;
    report.error = node.at("error").text();
    report.is_consequence = node.at("is_consequence").flag();
    report.repeat = repeat_from_json(node.at("repeat").text(), kName);
    if (report.repeat.ranks.size() != 1) node.at("repeat").fail("must have one rank");
    report.figures = std::move(report.repeat.ranks.front());
    report.repeat.ranks.clear();
    report.damaged = node.at("damaged").texts();
    report.warnings = node.at("warnings").texts();
    return report;
  });
}

}  // namespace feedrate
