// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/recommendation_json.h"

#include <sstream>
#include <variant>

#include <nlohmann/json.hpp>

#include "analysis/dataloader_arguments.h"
#include "analysis/paste_lines.h"
#include "analysis/whose_loader.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::kRunning:
      return "interrupted";
    case Ending::kConfident:
      return "confident";
    case Ending::kGpuBound:
      return "gpu-bound";
    case Ending::kExhausted:
      return "exhausted";
    case Ending::kOutOfTime:
      break;
  }
  return "out-of-time";
}

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const Setting& setting : settings) {
    std::visit([&](const auto& value) { json[setting.name] = value; }, setting.value);
  }
  return json;
}

Json rate_json(const Findings& findings, const RateOf& rate) {
  return {{"settings", settings_json(findings.candidates[rate.candidate].settings)},
          {"samples_per_second", rate.expected},
          {"low", rate.interval ? Json(rate.interval->low) : Json()},
          {"high", rate.interval ? Json(rate.interval->high) : Json()},
          {"predicted", rate.predicted},
          {"starts", rate.starts}};
}

Json rival_json(const Findings& findings, const std::optional<Rival>& rival) {
  if (!rival) return nullptr;
  Json json = rate_json(findings, rival->rate);
  const RatioVerdict& verdict = rival->recommended_to_it;
  json["verdict"] = to_string(verdict.verdict);
  json["rounds"] = verdict.rounds;
  if (verdict.rounds >= 2) {
    json["ratio"] = {
        {"value", verdict.ratio}, {"low", verdict.interval.low}, {"high", verdict.interval.high}};
  }
  return json;
}

}  // namespace

Recommended recommended_of(const Findings& findings) {
  const Decision& decision = findings.decision;
  const Candidate& best = findings.candidates[decision.recommended.candidate];
  std::ostringstream text;
  print_recommendation(text, findings);
  return {.settings = best.settings,
          .confidence = decision.confidence,
          .confidence_asked = findings.confidence_asked,
          .claim = confidence_sentence(decision, findings.confidence_asked),
          .text = std::move(text).str(),
          .code = code_of(findings.run, findings.run.cells[best.cell])};
}

std::string recommendation_json(const Findings& findings) {
  const Decision& decision = findings.decision;
  const Recommended said = recommended_of(findings);
  const CellResult& cell =
      findings.run.cells[findings.candidates[decision.recommended.candidate].cell];
  Json json{{"schema_version", kRecommendationSchemaVersion},
            {"started_at", findings.run.started_at},
            {"simulated", findings.run.simulated},
            {"loader", whose_loader(findings.run, cell)},
            {"ending", ending_name(decision.ending)},
            {"confidence", decision.confidence},
            {"confidence_asked", findings.confidence_asked},
            {"tolerance", decision.tolerance},
            {"within_at_confidence_asked", decision.loss},
            {"considered", decision.considered},
            {"measured", decision.measured},
            {"recommended", rate_json(findings, decision.recommended)},
            {"present_is_best", decision.present_is_best},
            {"present", rival_json(findings, decision.present)},
            {"runner_up", rival_json(findings, decision.runner_up)},
            {"model_error", nullptr},
            {"trainer_limit", nullptr},
            {"claim", said.claim},
            {"text", said.text},
            {"code", said.code},
            {"dataloader_kwargs", nullptr},
            {"non_blocking", text_of(cell.settings, "non_blocking") == "true"}};
  if (!said.code.empty()) json["dataloader_kwargs"] = settings_json(dataloader_kwargs(cell));
  if (decision.model_errors > 0) json["model_error"] = decision.model_error;
  if (decision.trainer_limit) json["trainer_limit"] = *decision.trainer_limit;
  return json.dump(2) + '\n';
}

}  // namespace feedrate
