// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <nlohmann/json.hpp>

#include "core/printable.h"
#include "core/statistics.h"
#include "training/summary.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// The arguments for DataLoader(**…); null if one has no meaning, or stays the script's.
Json arguments_json(const ScriptLoader& loader) {
  const bool has_workers = loader.num_workers > 0;
  return {{"num_workers", loader.num_workers},
          {"prefetch_factor", has_workers ? Json(loader.prefetch_factor.value_or(2)) : Json()},
          {"pin_memory", loader.pin_memory},
          {"persistent_workers", has_workers && loader.persistent_workers},
          {"in_order", loader.in_order},
          {"multiprocessing_context",
           has_workers && !loader.context.empty() ? Json(loader.context) : Json()}};
}

Json settings_json(const ScriptLoader& loader) {
  Json json{{"batch_size", or_null(loader.batch_size)}};
  json.update(arguments_json(loader));
  if (loader.num_workers > 0) json["multiprocessing_context"] = loader.multiprocessing_context;
  return json;
}

Json gain_json(const std::optional<MeasuredGain>& gain) {
  if (!gain) return nullptr;
  return {{"ratio", gain->ratio}, {"low", gain->low}, {"high", gain->high}};
}

Json trials_json(const std::vector<FailedSettings>& trials) {
  Json all = Json::array();
  for (const FailedSettings& trial : trials) {
    all.push_back({{"settings", trial.settings}, {"reason", trial.reason}});
  }
  return all;
}

Json tuning_json(const WatchedTraining& training, const WatchedLoader& of) {
  const InPlaceTuner* const last = last_tuning(training, of);
  if (last == nullptr) return nullptr;
  const InPlaceTuner& tuner = *last;
  const std::optional<TuningFacts> facts = tuning_facts(tuner);
  if (!facts) return nullptr;
  const TuningStatement statement = tuning_statement(training, tuner, *facts);
  return {{"is_over", facts->is_over},
          {"outcome", to_string(statement.outcome)},
          {"recommended", arguments_json(tuner.settings(tuner.chosen()))},
          {"gain", gain_json(statement.gain)},
          {"confidence", statement.confidence},
          {"tolerance", facts->tolerance},
          {"considered", facts->considered},
          {"tried", facts->tried},
          {"failed", trials_json(facts->failed)},
          {"not_tried", trials_json(facts->unaffordable)},
          {"cost_seconds", facts->cost_seconds},
          {"cost_share", facts->cost_share},
          {"budget", facts->bound},
          {"budget_steps", tuner.aims().bound_steps}};
}

Json parts_json(const WaitVerdict& verdict) {
  Json all = Json::array();
  for (const StepPart& part : verdict.parts) {
    all.push_back({{"site", part.loader->loader.site},
                   {"dataset", part.loader->loader.dataset},
                   {"loading", part.loading}});
  }
  return all;
}

Json evidence_json(const LoadingEvidence& evidence) {
  if (evidence.span <= 0.0) return nullptr;
  return {{"seconds", evidence.span},
          {"running", evidence.running},
          {"runnable", evidence.runnable},
          {"read_bytes", evidence.read_bytes},
          {"major_faults", evidence.major_faults}};
}

Json audit_json(const Watch::Remarks& remarks) {
  if (remarks.audited == 0 && remarks.difference.empty()) return nullptr;
  return {{"identical", remarks.audited},
          {"difference", remarks.difference.empty() ? Json() : Json(remarks.difference)}};
}

// 0 if a step only waits; null if the wait was not seen.
Json most_json(const WaitVerdict& verdict) {
  if (verdict.is_taken_by_a_thread) return nullptr;
  return most_to_win(verdict).value_or(0.0);
}

Json document(const WatchedTraining& training) {
  const WatchedLoader* const before = summary_loader(training);
  const std::optional<WaitVerdict> verdict = before ? judge(*before) : std::nullopt;
  if (!verdict) return nullptr;
  const Watch::Remarks& remarks = training.watch().remarks(*before);
  const auto& epochs = before->epochs;
  const auto& gaps = before->epoch_gaps;
  return {{"schema", kVerdictSchemaVersion},
          {"site", before->loader.site},
          {"class", before->loader.type},
          {"dataset", before->loader.dataset},
          {"steps", summary_steps(training)},
          {"cpus", before->process.cpus},
          {"settings", settings_json(before->loader)},
          {"loading", verdict->times.loading},
          {"training", verdict->times.training},
          {"gpu_idle", or_null(verdict->gpu_idle)},
          {"first_batch", epochs.empty() ? Json() : Json(to_seconds(epochs.front().first_batch))},
          {"epoch_gap", gaps.empty() ? Json() : Json(median(gaps))},
          {"batches_per_step", verdict->batches_per_step},
          {"parts", parts_json(*verdict)},
          {"has_first_batches", verdict->has_first_batches},
          {"paused", verdict->paused},
          {"bound", to_string(bound_of(*verdict))},
          {"cause", printable(cause_text(*before, *verdict))},
          {"evidence", evidence_json(before->evidence)},
          {"audit", audit_json(remarks)},
          {"notes", remarks.notes},
          {"most_to_win", most_json(*verdict)},
          {"tuning", tuning_json(training, *before)},
          {"why_not_tuned", training.why_not_tuned()},
          {"text", summary_lines(training)}};
}

}  // namespace

// Paths may be invalid UTF-8, and names may have escape sequences of terminals.
std::string verdict_json(const WatchedTraining& training) {
  return document(training).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string verdict_message(const WatchedTraining& training) {
  const Json message{{"event", "verdict"},
                     {"loader", summary_loader(training)->loader.number},
                     {"verdict", document(training)}};
  return message.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace feedrate
