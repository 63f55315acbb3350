// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/canonicalize.h"
#include "bench/plan/knobs.h"
#include "bench/plan/named_device.h"
#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostCells = 1'000'000;

std::size_t count_cells(const std::vector<Axis>& axes) {
  std::size_t cells = 1;
  for (const Axis& axis : axes) {
    cells *= axis.values.size();
    if (cells > kMostCells) {
      throw ConfigError(fmt::format("{}: the axes make more than {} cells; remove values",
                                    axis.name, kMostCells));
    }
  }
  return cells;
}

class Product {
 public:
  explicit Product(const std::vector<Axis>& axes) : indices_(axes.size()) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      std::vector<SettingValue>& known = (*values_)[static_cast<std::size_t>(knobs()[i].id)];
      std::map<SettingValue, std::size_t> index_by_value;
      for (const SettingValue& value : axes[i].values) {
        const auto [found, is_new] = index_by_value.try_emplace(value, known.size());
        if (is_new) known.push_back(value);
        indices_[i].push_back(found->second);
      }
    }
  }

  // `index` is a number with one digit per axis.
  [[nodiscard]] CellSettings cell(std::size_t index) const {
    CellSettings settings(values_);
    for (std::size_t i = indices_.size(); i-- > 0;) {
      settings.set_index(knobs()[i].id, indices_[i][index % indices_[i].size()]);
      index /= indices_[i].size();
    }
    return settings;
  }

 private:
  std::shared_ptr<KnobValues> values_ = std::make_shared<KnobValues>();
  std::vector<std::vector<std::size_t>> indices_;
};

// step_ms refers to a batch size: by default the first one that the sweep names.
void resolve_reference_batch(std::vector<Axis>& axes) {
  const auto by_name = [&](const char* name) -> Axis& {
    return *std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == name; });
  };
  const SettingValue first_batch_size = by_name("batch_size").values.front();
  std::vector<SettingValue>& values = by_name("reference_batch").values;
  const auto unset = std::find(values.begin(), values.end(), SettingValue(std::int64_t{0}));
  if (unset == values.end()) return;
  if (!std::holds_alternative<std::int64_t>(first_batch_size)) return;
  const bool is_named = std::find(values.begin(), values.end(), first_batch_size) != values.end();
  is_named ? static_cast<void>(values.erase(unset)) : static_cast<void>(*unset = first_batch_size);
}

// Token sequences get Hugging Face's default; for other samples padding stays empty.
void resolve_padding(std::vector<Axis>& axes, const PipelineSpec& pipeline) {
  if (!pipeline.tokens) return;
  for (Axis& axis : axes) {
    if (axis.name != "padding") continue;
    std::replace(axis.values.begin(), axis.values.end(), SettingValue(std::string()),
                 SettingValue(std::string("longest")));
  }
}

void require_known_variants(const std::vector<Axis>& axes, const DatasetConfig& dataset) {
  std::vector<std::string_view> known;
  for (const OwnDataset& own : dataset.own) known.push_back(own.variant);
  if (known.empty()) known.emplace_back();
  for (const Axis& axis : axes) {
    if (axis.name != "variant") continue;
    for (const SettingValue& value : axis.values) {
      if (std::find(known.begin(), known.end(), to_string(value)) != known.end()) continue;
      throw ConfigError(
          known.front().empty()
              ? std::string("variant: the dataset has none; name them in dataset.variants")
              : fmt::format("variant: {} is not among dataset.variants: {}", to_string(value),
                            fmt::join(known, ", ")));
    }
  }
}

bool has_own_step(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) {
    return axis.name == "trainer" &&
           std::find(axis.values.begin(), axis.values.end(), SettingValue(std::string("torch"))) !=
               axis.values.end();
  });
}

// A simulated GPU cannot run a user's step, but the CPU can.
std::string resolved_device(const std::string& name, bool own_step) {
  std::string resolved = resolve_named_device(name);
  const bool no_gpu = name == "auto" && resolved == kFallbackDevice;
  return no_gpu && own_step ? std::string(kCpuDevice) : resolved;
}

void resolve_device(std::vector<Axis>& axes, bool own_step) {
  for (Axis& axis : axes) {
    if (axis.name != "device") continue;
    for (SettingValue& value : axis.values) value = resolved_device(to_string(value), own_step);
  }
}

// Default: as many ranks as the launcher started.
void resolve_ranks(std::vector<Axis>& axes, const LaunchedRanks& launched) {
  const std::vector<SettingValue> one{std::int64_t{1}};
  for (Axis& axis : axes) {
    if (axis.name != "ranks" || axis.values != one || !launched.is_launched()) continue;
    axis.values = {static_cast<std::int64_t>(launched.size)};
  }
}

void resolve_ranks_per_node(CellSettings& settings, const LaunchedRanks& launched) {
  const SettingValue* const here = settings.find(KnobId::ranks_per_node);
  if (!launched.is_launched() || *here != SettingValue(std::int64_t{0})) return;
  settings.set(KnobId::ranks_per_node, static_cast<std::int64_t>(launched.per_node));
}

bool wanted(const CellSettings& settings, const std::vector<Axis>& only) {
  return std::all_of(only.begin(), only.end(), [&](const Axis& axis) {
    const SettingValue* const value = settings.find(find_knob(axis.name).id);
    return std::find(axis.values.begin(), axis.values.end(), *value) != axis.values.end();
  });
}

struct Hash {
  std::size_t operator()(const CellSettings* settings) const { return settings->hash(); }
};

struct Equal {
  bool operator()(const CellSettings* a, const CellSettings* b) const { return *a == *b; }
};

using Running = std::unordered_map<const CellSettings*, std::size_t, Hash, Equal>;

// Only knobs that vary can make two cells equal.
std::string why_equal(const std::vector<Canonicalized>& changed,
                      const std::vector<std::string>& varying, std::size_t first) {
  std::vector<std::string> reasons;
  for (const Canonicalized& knob : changed) {
    const std::string_view name = knob_of(knob.knob).name;
    if (std::find(varying.begin(), varying.end(), name) == varying.end()) continue;
    reasons.push_back(fmt::format("{} {}", name, knob.text()));
  }
  if (reasons.empty())
    reasons.push_back(fmt::format("its settings are equivalent to those of cell {}", first));
  return fmt::format("counted once: {}", fmt::join(reasons, "; "));
}

std::string why_nothing_runs(const std::vector<Cell>& cells) {
  if (cells.empty()) return "--only: no cell of the plan has these values";
  std::map<std::string, std::size_t> reasons;
  for (const Cell& cell : cells) ++reasons[cell.skip_reason];
  std::string text = "the plan: every cell is skipped:";
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("\n  {} cell{}: {}", count, count == 1 ? "" : "s", reason);
  }
  return text;
}

}  // namespace

std::vector<Cell> make_plan(const SweepConfig& config, const PlanOptions& options) {
  std::vector<Axis> axes = config.axes;
  require_known_variants(axes, config.dataset);
  resolve_reference_batch(axes);
  resolve_padding(axes, config.pipeline);
  resolve_ranks(axes, options.launched);
  resolve_device(axes, has_own_step(config.axes));
  std::vector<Axis> only = options.only;
  resolve_device(only, has_own_step(config.axes));
  const std::vector<std::string> varying = varying_axes(config);
  const std::size_t count = count_cells(axes);
  const Product product(axes);
  std::vector<Cell> cells;
  cells.reserve(count);  // `running` points to the cells
  Running running;
  for (std::size_t point = 0; point < count; ++point) {
    Cell cell{cells.size(), product.cell(point), {}};
    CellSettings effective = cell.settings;
    const std::vector<Canonicalized> changed = canonicalize(effective);
    resolve_ranks_per_node(effective, options.launched);
    if (!wanted(effective, only)) continue;
    cell.skip_reason = skip_reason(effective, config, options);
    const auto equal = cell.skip_reason.empty() ? running.find(&effective) : running.end();
    if (equal != running.end()) cell.skip_reason = why_equal(changed, varying, equal->second);
    if (cell.skip_reason.empty()) cell.settings = std::move(effective);
    cells.push_back(std::move(cell));
    if (cells.back().skip_reason.empty())
      running.emplace(&cells.back().settings, cells.back().index);
  }
  const bool any = std::any_of(cells.begin(), cells.end(),
                               [](const Cell& cell) { return cell.skip_reason.empty(); });
  if (!any) throw ConfigError(why_nothing_runs(cells));
  return cells;
}

std::size_t ranks_on_a_node(const CellSettings& settings) {
  const std::int64_t here = settings.count(KnobId::ranks_per_node, 1);
  return static_cast<std::size_t>(here == 0 ? settings.count(KnobId::ranks, 1) : here);
}

std::vector<std::string> varying_axes(const SweepConfig& config) {
  std::vector<std::string> names;
  for (const Axis& axis : config.axes) {
    if (axis.values.size() > 1) names.push_back(axis.name);
  }
  return names;
}

}  // namespace feedrate
