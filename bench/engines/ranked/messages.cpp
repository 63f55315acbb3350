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

std::string to_text(const RankRequest& order) {
  Json catalog = Json::object();
  for (const auto& [name, dataset] : order.catalog) {
    catalog[name] = {{"path", dataset.path.string()},
                     {"problem", dataset.problem},
                     {"records", dataset.records},
                     {"bytes", dataset.bytes}};
    if (dataset.staged) catalog[name]["staging_time"] = dataset.staged->seconds;
  }
  return dump({{"config_name", order.config_name},
               {"config_text", order.config_text},
               {"steps", order.steps},
               {"epochs", order.epochs},
               {"seed", order.seed},
               {"catalog", catalog},
               {"settings", settings_to_json(order.settings)}});
}

std::string to_text(const RankReport& answer) {
  Repeat all = answer.repeat;
  all.ranks = {answer.figures};
  return dump({{"error", answer.error},
               {"is_consequence", answer.is_consequence},
               {"repeat", repeat_to_json(all)},
               {"damaged", answer.damaged},
               {"warnings", answer.warnings}});
}

RankRequest order_from_text(std::string_view text) {
  return read(text, [](const JsonNode& node) {
    RankRequest order;
    order.config_name = node.at("config_name").text();
    order.config_text = node.at("config_text").text();
    order.steps = node.at("steps").whole();
    order.epochs = node.at("epochs").whole();
    order.seed = node.at("seed").whole();
    for (const auto& [name, dataset] : node.at("catalog").members()) {
      SweepDataset& known = order.catalog[name];
      known = {dataset.at("path").text(), dataset.at("problem").text(),
               dataset.at("records").whole(), dataset.at("bytes").whole()};
      // The leader owns the copy.
      if (!dataset.has("staging_time")) continue;
      known.staged = StagedDataset{.path = known.path,
                                   .bytes = known.bytes,
                                   .seconds = dataset.at("staging_time").number(),
                                   .folder = nullptr};
    }
    order.settings = settings_from_json(node.at("settings").text(), kName);
    return order;
  });
}

RankReport answer_from_text(std::string_view text) {
  return read(text, [](const JsonNode& node) {
    RankReport answer;
    answer.error = node.at("error").text();
    answer.is_consequence = node.at("is_consequence").flag();
    answer.repeat = repeat_from_json(node.at("repeat").text(), kName);
    if (answer.repeat.ranks.size() != 1) node.at("repeat").fail("must have one rank");
    answer.figures = std::move(answer.repeat.ranks.front());
    answer.repeat.ranks.clear();
    answer.damaged = node.at("damaged").texts();
    answer.warnings = node.at("warnings").texts();
    return answer;
  });
}

}  // namespace feedrate
