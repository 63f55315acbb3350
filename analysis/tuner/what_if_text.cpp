// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/what_if_text.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"
#include "analysis/tuner/settings.h"
#include "analysis/whose_loader.h"
#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

std::string what_if_rate(double rate) { return format_value(rate, Unit::kSamplesPerSecond); }

std::string what_if_percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string gpu_text(double speed) {
  if (speed == 2.0) return "a GPU twice as fast";
  if (speed == 0.5) return "a GPU half as fast";
  return fmt::format("a GPU {:g} times as fast", speed);
}

std::string change_text(double gain) {
  constexpr double kNothing = 0.005;
  if (std::abs(gain) < kNothing) return "would gain nothing";
  return fmt::format("would {} {:.0f} %", gain > 0.0 ? "gain" : "lose", 100.0 * std::abs(gain));
}

std::string cores_text(const Answer& answer, double cores_then) {
  if (!answer.training_is_known) return "";
  if (!answer.enough_cores) return "; no number of cores is enough with these settings";
  const std::size_t enough = *answer.enough_cores;
  return static_cast<double>(enough) > cores_then
             ? fmt::format("; {} and as many workers would be enough", plural(enough, "core"))
             : fmt::format("; {} would be enough, and the cores suffice", plural(enough, "worker"));
}

std::string gpu_reason(const Answer& answer, double stall) {
  std::string text = "the GPU is the limit";
  if (stall > kNothingToWin) text += fmt::format(" except for {:.0f} % of the step", 100.0 * stall);
  if (!answer.enough_cores) return text;
  return text + fmt::format(", with at least {} and as many workers",
                            plural(*answer.enough_cores, "core"));
}

std::string reason(const Answer& answer, double cores) {
  const StepLimit& limit = answer.forecasts[answer.best_then].limit_then;
  if (limit.stall <= kBalance) return gpu_reason(answer, limit.stall);
  switch (limit.what) {
    case Bottleneck::kStorage:
      return "reading from storage is the limit";
    case Bottleneck::kDecode:
      return "making batches is the limit" + cores_text(answer, answer.world.cores.value_or(cores));
    case Bottleneck::kTransport:
      return "transport of batches to the training process is the limit";
    case Bottleneck::kCopy:
      return "the copy to the GPU is the limit";
    case Bottleneck::kGpu:
    case Bottleneck::kCpuStep:
    case Bottleneck::kBalanced:
    case Bottleneck::kForeign:  // Never of a model.
      break;
  }
  return gpu_reason(answer, limit.stall);
}

std::string extrapolation(const Answer& answer) {
  if (!answer.extrapolated_beyond || answer.world == World{}) return {};
  return fmt::format("; extrapolated: making batches was measured with at most {}",
                     plural(*answer.extrapolated_beyond, "worker"));
}

std::string without_cores(const Forecast& then, double cores) {
  if (!std::isfinite(then.without_cores)) return {};
  const auto workers = loop_settings(then.settings).num_workers;
  return fmt::format("; {} on {:g} core{} would reach {}", plural(workers, "worker"), cores,
                     cores == 1.0 ? "" : "s", what_if_rate(then.without_cores));
}

bool is_unchanged(const Answer& answer) { return answer.world == World{}; }

std::string question_text(const Answer& answer, double cores) {
  const std::string text = world_text(answer.world, cores);
  return text.empty() ? "unchanged" : text;
}

class WhatIfPrinter {
 public:
  WhatIfPrinter(std::ostream& out, const WhatIfFindings& findings)
      : out_(out), findings_(findings) {}

  void print_head() const {
    out_ << fmt::format(
        "Predicted, not measured, by a model of the loader fitted to {} ({:g} cores).\n",
        findings_.source, findings_.cores);
    for (const std::string& text :
         {whose_sentence(findings_.run), simulation_notice(findings_.run)}) {
      if (!text.empty()) out_ << text << '\n';
    }
  }

  void print_situation(const Situation& situation) const {
    out_ << '\n';
    if (!situation.name.empty()) out_ << fmt::format("{}:\n", situation.name);
    if (situation.is_loader_alone) out_ << "No cell trains: these are rates of the loader alone.\n";
    out_ << error_text(situation.held_out) << '\n';
  }

  void print_questions(const Situation& situation) const {
    TextTable table;
    table.add_column("what if", Align::kLeft);
    table.add_column("best settings", Align::kLeft);
    table.add_column("samples/s", Align::kRight);
    table.add_column("gain", Align::kRight);
    table.add_column("limit", Align::kLeft);
    for (const Answer& answer : situation.answers) {
      const bool as_it_is = is_unchanged(answer);
      const Forecast& best = answer.forecasts[answer.best_then];
      table.add_row({question_text(answer, findings_.cores), name_of(best, situation),
                     what_if_rate(best.then),
                     as_it_is ? kMissing : gain_text(answer.gain(), situation.held_out),
                     to_string(best.limit_then.what)});
    }
    table.wrap(findings_.width);
    table.print(out_, TableStyle::kTerminal);
  }

  void print_cells(const Situation& situation, const Answer& answer) const {
    TextTable table;
    table.add_column("cell", Align::kLeft);
    for (const char* const title : {"today", "then", "gain"}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("limit today", Align::kLeft);
    table.add_column("limit then", Align::kLeft);
    const std::size_t shown = std::min(kShownCells, answer.forecasts.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Forecast& one = answer.forecasts[i];
      table.add_row({name_of(one, situation), what_if_rate(one.today), what_if_rate(one.then),
                     gain_text(one.then / one.today - 1.0, situation.held_out),
                     std::isfinite(one.today) ? to_string(one.limit_today.what) : kMissing,
                     to_string(one.limit_then.what)});
    }
    table.wrap(findings_.width);
    table.print(out_, TableStyle::kTerminal);
    if (shown < answer.forecasts.size()) {
      out_ << fmt::format("and {} slower cells; --format json has all\n",
                          answer.forecasts.size() - shown);
    }
  }

  void print_best(const Situation& situation, const Answer& answer) const {
    const Forecast& today = answer.forecasts[answer.best_today];
    const Forecast& then = answer.forecasts[answer.best_then];
    out_ << fmt::format("\nBest today: {}: {} (limit: {})\nBest then:  {}: {} (limit: {})\n",
                        name_of(today, situation), what_if_rate(today.today),
                        to_string(today.limit_today.what), name_of(then, situation),
                        what_if_rate(then.then), to_string(then.limit_then.what));
  }

  void print_sentence(const Situation& situation, const Answer& answer) const {
    out_ << sentence(answer, situation.held_out, findings_.cores) << '\n';
  }

 private:
  static std::string gain_text(double gain, const HeldOut& held_out) {
    const bool is_hidden = std::isfinite(gain) && held_out.hides(gain);
    return format_gain(gain) + (is_hidden ? " ?" : "");
  }

  static std::string error_text(const HeldOut& held_out) {
    if (held_out.cells == 0) {
      return "Model error: unknown, no cell could be held out.";
    }
    return fmt::format("Model error on {}: {} (median); a gain with \"?\" is less than that.",
                       plural(held_out.cells, "held-out cell"),
                       format_value(held_out.median_error, Unit::kRatio));
  }

  std::ostream& out_;
  const WhatIfFindings& findings_;
};

}  // namespace

std::string world_text(const World& world, double cores) {
  std::vector<std::string> parts;
  if (world.gpu_speed != 1.0) parts.push_back(gpu_text(world.gpu_speed));
  if (world.cores)
    parts.push_back(fmt::format("{:g} core{} instead of {:g}", *world.cores,
                                *world.cores == 1.0 ? "" : "s", cores));
  if (world.cached)
    parts.push_back(fmt::format("{} of the data cached", what_if_percent(*world.cached)));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string sentence(const Answer& answer, const HeldOut& held_out, double cores) {
  const Forecast& then = answer.forecasts[answer.best_then];
  if (is_unchanged(answer)) return fmt::format("Unchanged: {}.", reason(answer, cores));
  const double gain = answer.gain();
  return fmt::format("With {} this run {}, {} instead of {}{}: {}{}{}.",
                     world_text(answer.world, cores), change_text(gain), what_if_rate(then.then),
                     what_if_rate(answer.forecasts[answer.best_today].today),
                     held_out.hides(gain) ? ", less than the model's error" : "",
                     reason(answer, cores), without_cores(then, cores), extrapolation(answer));
}

std::string name_of(const Forecast& forecast, const Situation& situation) {
  CellResult cell;
  cell.settings = forecast.settings;
  std::vector<std::string> names = varying_settings(situation.cells);
  if (forecast.cell != nullptr) {
    cell.index = forecast.cell->index;
  } else if (std::find(names.begin(), names.end(), "num_workers") == names.end()) {
    names.insert(names.begin(), "num_workers");
  }
  return one_line(name_cell(cell, names), TableStyle::kTerminal);
}

void print_questions(std::ostream& out, const WhatIfFindings& findings) {
  const WhatIfPrinter printer(out, findings);
  printer.print_head();
  for (const Situation& situation : findings.situations) {
    printer.print_situation(situation);
    printer.print_questions(situation);
    for (const Answer& answer : situation.answers) printer.print_sentence(situation, answer);
  }
}

void print_forecasts(std::ostream& out, const WhatIfFindings& findings) {
  const WhatIfPrinter printer(out, findings);
  printer.print_head();
  for (const Situation& situation : findings.situations) {
    for (const Answer& answer : situation.answers) {
      printer.print_situation(situation);
      printer.print_cells(situation, answer);
      printer.print_best(situation, answer);
      printer.print_sentence(situation, answer);
    }
  }
}

}  // namespace feedrate
