// SPDX-License-Identifier: Apache-2.0
#include "training/verdict_json.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "core/statistics.h"
#include "training/box.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// What DataLoader(**…) takes; null where it means nothing, or stays the script's.
Json arguments_json(const ScriptLoader& loader) {
  const bool has_workers = loader.num_workers > 0;
  return {{"num_workers", loader.num_workers},
          {"prefetch_factor", has_workers ? Json(loader.prefetch_factor.value_or(2)) : Json()},
          {"pin_memory", loader.pin_memory},
          {"persistent_workers", has_workers && loader.persistent_workers},
          {"in_order", loader.in_order},
          {"multiprocessing_context", nullptr}};
}

Json settings_json(const ScriptLoader& loader) {
  Json json{{"batch_size", or_null(loader.batch_size)}};
  json.update(arguments_json(loader));
  if (loader.num_workers > 0) json["multiprocessing_context"] = loader.multiprocessing_context;
  return json;
}

Json gain_json(const InPlaceTuner& tuner, const Decision& decision) {
  const bool is_recommended = tuner.chosen() == decision.recommended.candidate;
  if (!is_recommended || !decision.present || decision.present->recommended_to_it.rounds < 2) {
    return nullptr;
  }
  const RatioVerdict& gain = decision.present->recommended_to_it;
  return {{"ratio", gain.ratio}, {"low", gain.interval.low}, {"high", gain.interval.high}};
}

Json tuning_json(const TrainingTuner& training) {
  if (training.tunings().empty()) return nullptr;
  const InPlaceTuner& tuner = training.tunings().back();
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) return nullptr;
  return {{"is_over", tuner.is_over()},
          {"recommended", arguments_json(tuner.settings(tuner.chosen()))},
          {"gain", gain_json(tuner, *decision)},
          {"confidence", decision->confidence},
          {"tolerance", decision->tolerance},
          {"considered", decision->considered},
          {"tried", decision->measured},
          {"cost_seconds", tuner.cost()},
          {"cost_share", tuner.cost_share()},
          {"budget", tuner.aims().bound},
          {"budget_steps", tuner.aims().bound_steps}};
}

Json document(const TrainingTuner& training) {
  const WatchedLoader* const before = box_loader(training);
  const std::optional<LoaderVerdict> verdict = before ? judge(*before) : std::nullopt;
  if (!verdict) return nullptr;
  const auto& epochs = before->measurement.epochs;
  const auto& gaps = before->epoch_gaps;
  return {{"schema", kVerdictSchemaVersion},
          {"site", before->loader.site},
          {"class", before->loader.type},
          {"dataset", before->loader.dataset},
          {"steps", box_steps(training)},
          {"cpus", before->process.cpus},
          {"settings", settings_json(before->loader)},
          {"loading", verdict->times.loading},
          {"training", verdict->times.training},
          {"gpu_idle", or_null(verdict->gpu_idle)},
          {"first_batch", epochs.empty() ? Json() : Json(to_seconds(epochs.front().first_batch))},
          {"epoch_gap", gaps.empty() ? Json() : Json(median(gaps))},
          {"bound", bound_name(*verdict)},
          {"cause", cause_text(*before)},
          {"most_to_win", verdict->most_to_win()},
          {"tuning", tuning_json(training)},
          {"why_not_tuned", training.why_not_tuned()},
          {"text", box_lines(training)}};
}

}  // namespace

// Paths may be no UTF-8.
std::string verdict_json(const TrainingTuner& training) {
  return document(training).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string verdict_message(const TrainingTuner& training) {
  const Json message{{"event", "verdict"},
                     {"loader", box_loader(training)->loader.number},
                     {"verdict", document(training)}};
  return message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace feedrate
