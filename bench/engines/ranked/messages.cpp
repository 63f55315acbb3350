// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/report/json.h"
#include "core/error.h"
#include "core/parse_json.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr const char* kPlace = "a rank's message";

// Paths and messages of the system may hold any bytes.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Read>
auto read(std::string_view text, Read read) {
  try {
    return read(parse_json<Json>(text, kPlace));
  } catch (const Json::exception& error) {
    throw Error(
        fmt::format("{}: is none of this feedrate's: {}; start the same program on all nodes",
                    kPlace, error.what()));
  }
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
  return read(text, [](const Json& json) {
    RankRequest order;
    json.at("config_name").get_to(order.config_name);
    json.at("config_text").get_to(order.config_text);
    json.at("steps").get_to(order.steps);
    json.at("epochs").get_to(order.epochs);
    json.at("seed").get_to(order.seed);
    for (const auto& [name, dataset] : json.at("catalog").items()) {
      order.catalog[name] = {
          dataset.at("path").get<std::string>(), dataset.at("problem").get<std::string>(),
          dataset.at("records").get<std::uint64_t>(), dataset.at("bytes").get<std::uint64_t>()};
      // The copy itself is the leader's.
      if (const auto time = dataset.find("staging_time"); time != dataset.end()) {
        order.catalog[name].staged = StagedDataset{.path = order.catalog[name].path,
                                                   .bytes = order.catalog[name].bytes,
                                                   .seconds = time->get<double>(),
                                                   .folder = nullptr};
      }
    }
    order.settings = settings_from_json(json.at("settings").get<std::string>(), kPlace);
    return order;
  });
}

RankReport answer_from_text(std::string_view text) {
  return read(text, [](const Json& json) {
    RankReport answer;
    json.at("error").get_to(answer.error);
    json.at("is_consequence").get_to(answer.is_consequence);
    answer.repeat = repeat_from_json(json.at("repeat").get<std::string>(), kPlace);
    if (answer.repeat.ranks.size() != 1) throw Error(fmt::format("{}: has no rank", kPlace));
    answer.figures = std::move(answer.repeat.ranks.front());
    answer.repeat.ranks.clear();
    json.at("damaged").get_to(answer.damaged);
    json.at("warnings").get_to(answer.warnings);
    return answer;
  });
}

}  // namespace feedrate
