// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan_json.h"

#include <ostream>

#include <nlohmann/json.hpp>

#include "analysis/report/json.h"
#include "core/units.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPlanVersion = 1;

Json json_of(const MemoryNeed& need) {
  return {{"host", need.host},
          {"shm", need.shm},
          {"pinned", need.pinned},
          {"device", need.device},
          {"descriptors", need.descriptors}};
}

Json json_of(const PlannedCell& planned) {
  Json json{{"cell", planned.cell->index},
            {"settings", Json::parse(settings_to_json(planned.cell->settings))}};
  json["skip_reason"] = planned.skip_reason.empty() ? Json() : Json(planned.skip_reason);
  json["least_seconds"] = planned.seconds ? Json(*planned.seconds) : Json();
  json["estimated_seconds"] = planned.estimated ? Json(*planned.estimated) : Json();
  json["memory"] = planned.need ? json_of(*planned.need) : Json();
  return json;
}

}  // namespace

void print_plan_json(std::ostream& out, const SweepConfig& config,
                     const std::vector<PlannedCell>& cells, double dataset_seconds) {
  Json list = Json::array();
  for (const PlannedCell& planned : cells) list.push_back(json_of(planned));
  const MeasureConfig& measure = config.measure;
  out << Json{{"schema_version", kPlanVersion},
              {"question", config.question},
              {"repeats", {{"least", measure.repeats.least}, {"most", measure.repeats.most}}},
              {"steps", measure.steps},
              {"cell_timeout_s", to_seconds(measure.cell_timeout)},
              {"dataset_seconds", dataset_seconds},
              {"cells", list}}
             .dump(2)
      << '\n';
}

}  // namespace feedrate
