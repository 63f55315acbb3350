// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/rank.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/engines/instruments.h"
#include "bench/engines/native_engine.h"
#include "bench/plan/cell_protocol.h"
#include "bench/plan/cost_profile.h"
#include "bench/plan/named_device.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/deadline.h"
#include "core/host/slurm.h"

namespace feedrate {
namespace {

// A rank waits this much longer than its own time limit for another rank.
constexpr Nanos kGrace = std::chrono::seconds(30);

const RankLocation& own_location(const RankGroup& group) {
  return group.locations().at(static_cast<std::size_t>(group.rank()));
}

std::vector<CpuList> gather_allowed(RankGroup& group, const std::stop_token& stop) {
  std::vector<CpuList> allowed;
  for (const std::string& list : gather_on_node(group, format_cpu_list(allowed_cpu_list()), stop)) {
    allowed.push_back(parse_cpu_list(list));
  }
  return allowed;
}

bool is_gpu(const CellSpec& cell) { return cell.device.starts_with("cuda:"); }

BarrierPlan barrier_plan(const CellSpec& cell, const ProtocolOptions& protocol) {
  BarrierPlan plan;
  // The ranks agree before and after one of them fills or drops the page cache.
  plan.agreements_before = cell.cache == CacheState::kAsIs ? 0 : 2;
  plan.steps_of_epochs.assign(protocol.short_epochs, protocol.short_epoch_batches());
  plan.steps_of_epochs.push_back(1 + protocol.discarded_steps() + protocol.kept_steps());
  return plan;
}

std::string engine_key(const RankRequest& request, const CellSpec& cell) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", request.config_text, request.steps,
                     request.epochs, request.seed, to_string(cell.job.affinity), cell.emulate,
                     cell.device);
}

Instruments instruments_of(const CellSpec& cell) {
  if (!is_gpu(cell)) return {};
  return choose_instruments({{cell.device, named_device_info(cell.device)}}, false).instruments;
}

}  // namespace

Rank::Rank(RankGroup& group, Clock& clock, const std::stop_token& stop)
    : group_(group), clock_(clock), allowed_(gather_allowed(group, stop)) {}

RankReport Rank::measure(const RankRequest& request, const std::stop_token& stop) {
  RankReport report;
  report.figures.rank = static_cast<std::size_t>(group_.rank());
  report.figures.local_rank = static_cast<std::size_t>(own_location(group_).local_rank);
  report.figures.node = own_location(group_).node;
  measure_into(report, request, stop);
  return report;
}

std::size_t Rank::cpus_of_node() const {
  std::set<int> cpus;
  for (const CpuList& list : allowed_) cpus.insert(list.begin(), list.end());
  return cpus.size();
}

void Rank::measure_into(RankReport& report, const RankRequest& request,
                        const std::stop_token& stop) {
  const SweepConfig config = request.config();
  CellSpec cell = make_cell_spec(request.settings, request.seed);
  cell.loader.shard.rank = report.figures.rank;
  const std::string first = cell.device;
  cell.device = device_of_rank(first, own_location(group_).local_rank,
                               environment_variable("CUDA_VISIBLE_DEVICES"));
  report.figures.device = cell.device;
  const Nanos limit = config.measure.cell_timeout;
  const Deadline deadline(limit, stop);
  const Deadline patience(limit + kGrace, stop);
  inspect_node(first, cell, patience.token());
  auto sum = gradient_sum(cell, report, patience.token());
  if (sum) report.figures.all_reduce = sum->path();
  StepBarrier barrier(group_, barrier_plan(cell, protocol_of(cell, config.measure)), std::move(sum),
                      patience.token());
  barrier_ = &barrier;
  report_ = &report;
  const auto fail = [&](std::string why) {
    report.error = std::move(why);
    barrier.give_up();
  };
  try {
    place(cell, report);
    report.repeat = engine(request, cell).run(cell, deadline.token());
  } catch (const PeerFailed& error) {
    report.error = error.what();
    report.is_consequence = true;
  } catch (const RankLost&) {
    throw;
  } catch (const Cancelled&) {
    if (stop.stop_requested()) throw;
    if (patience.token().stop_requested()) {
      throw RankLost(-1, "",
                     fmt::format("another rank hangs: it did not end within "
                                 "measure.cell_timeout_s and {} more",
                                 format_duration(to_seconds(kGrace))));
    }
    fail(fmt::format("took longer than measure.cell_timeout_s, {}",
                     format_duration(to_seconds(limit))));
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// Called before any step in which only one rank may fail.
std::unique_ptr<GradientSum> Rank::gradient_sum(const CellSpec& cell, RankReport& report,
                                                const std::stop_token& stop) {
  const std::size_t bytes = cell.job.all_reduce_bytes;
  if (bytes == 0) return nullptr;
  if (is_gpu(cell)) {
    std::string why_not;
    const auto open = [&] { return open_named_device(cell.device, clock_); };
    auto sum = make_nccl_sum(group_, open, bytes, stop, why_not);
    if (sum) return sum;
    report.warnings.push_back(
        fmt::format("All-reduces used {} instead of NCCL: {}", group_.data_path(), why_not));
  }
  return make_group_sum(group_, bytes);
}

// CUDA numbers only the GPUs of the job, so PCI bus ids identify the node's GPUs.
void Rank::inspect_node(const std::string& first_device, const CellSpec& cell,
                        const std::stop_token& stop) {
  if (layout_is_for_ == first_device) return;
  std::string own;
  try {
    if (is_gpu(cell)) own = named_device_info(cell.device).pci_bus_id;
  } catch (const Error&) {
    own.clear();  // The engine reports the error when it opens the device.
  }
  std::vector<std::string> buses = gather_on_node(group_, std::move(own), stop);
  if (std::ranges::any_of(buses, &std::string::empty)) buses.clear();
  layout_ = read_node_layout("/", buses);
  layout_is_for_ = first_device;
}

void Rank::place(const CellSpec& cell, RankReport& report) {
  const auto local = static_cast<std::size_t>(own_location(group_).local_rank);
  const RankPlacement placement = place_ranks(layout_, allowed_, cell.job.affinity).at(local);
  bind_to(placement.cpus);
  report.figures.cores = format_cpu_list(placement.cpus);
  report.figures.numa_nodes = fmt::format("{}", fmt::join(placement.nodes, ","));
  if (is_gpu(cell) && placement.gpu_node) {
    report.figures.gpu_numa_node = fmt::format("{}", *placement.gpu_node);
  }
  if (!placement.note.empty()) report.warnings.push_back(placement.note);
}

// Reuses the engine and its devices until engine_key() changes; new cores need new threads.
CellEngine& Rank::engine(const RankRequest& request, const CellSpec& cell) {
  std::string wanted = engine_key(request, cell);
  if (engine_ && engine_is_for_ == wanted) return *engine_;
  const SweepConfig config = request.config();
  NativeEngineOptions options;
  options.datasets = request.catalog;
  options.pipeline = config.pipeline;
  options.measure = config.measure;
  options.barrier = [this] { return barrier_; };
  options.instruments = instruments_of(cell);
  if (!cell.emulate.empty()) options.costs[cell.emulate] = load_cost_profile(cell.emulate).costs;
  if (config.dataset.skip_damaged) {
    options.on_damaged = [this](const std::string& what) { report_->damaged.push_back(what); };
  }
  options.on_warning = [this](const std::string& warning) { report_->warnings.push_back(warning); };
  engine_ = make_native_engine(std::move(options), clock_);
  engine_is_for_ = std::move(wanted);
  return *engine_;
}

std::string device_of_rank(const std::string& first, int local_rank,
                           const std::optional<std::string>& cuda_visible_devices) {
  constexpr std::string_view kCuda = "cuda:";
  if (!first.starts_with(kCuda)) return first;
  const bool sees_one = cuda_visible_devices && !cuda_visible_devices->empty() &&
                        cuda_visible_devices->find(',') == std::string::npos;
  if (sees_one) return first;
  int ordinal = 0;
  std::from_chars(first.data() + kCuda.size(), first.data() + first.size(), ordinal);
  return fmt::format("cuda:{}", ordinal + local_rank);
}

}  // namespace feedrate
