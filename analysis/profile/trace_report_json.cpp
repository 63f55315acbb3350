// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <nlohmann/json.hpp>

#include "analysis/profile/trace_report.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

template <class Items, class Text>
Json list_of(const Items& items, Text json_of_item) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of_item(item));
  return list;
}

template <class Value>
Json by_role(Value value) {
  Json object = Json::object();
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    object[std::string(role_title(role))] = value(role);
  }
  return object;
}

Json json_of(const StepCosts& costs, const StepLoading& loading) {
  return {{"number", costs.step.number},
          {"total", to_seconds(costs.step.span.length())},
          {"roles", by_role([&](Role role) { return to_seconds(costs[role]); })},
          {"next_raw", to_seconds(loading.raw)},
          {"next_exposed", to_seconds(loading.exposed)}};
}

Json steps_of(const TraceReport& report) {
  Json steps = Json::array();
  const std::vector<StepCosts>& costs = report.summary.execution.steps;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    steps.push_back(json_of(costs[i], report.loader.steps[i]));
  }
  return steps;
}

Json json_of(const LoaderStalls& loader) {
  Json periodic;
  if (loader.periodic) {
    periodic = {{"period", loader.periodic->period},
                {"stalled", to_seconds(loader.periodic->stalled)},
                {"others", to_seconds(loader.periodic->others)}};
  }
  Json waits = list_of(loader.waits, [](const LoaderWait& wait) -> Json {
    return {{"begin", to_seconds(wait.span.begin)},
            {"raw", to_seconds(wait.raw())},
            {"exposed", to_seconds(wait.exposed)},
            {"outlier", wait.is_outlier}};
  });
  return {{"calls", loader.waits.size()},
          {"median", loader.waits.empty() ? Json() : Json(to_seconds(loader.median))},
          {"periodic", periodic},
          {"pinned_late_calls", loader.pinned_late.count},
          {"pinned_late_time", to_seconds(loader.pinned_late.time)},
          {"waits", waits}};
}

Json json_of(const std::vector<CopyFinding>& copies) {
  return list_of(copies, [&](const CopyFinding& copy) -> Json {
    return {{"source", memory_kind_name(copy.source)},
            {"copies", copy.copies},
            {"bytes", copy.has_bytes() ? Json(copy.bytes) : Json()},
            {"largest", copy.has_bytes() ? Json(copy.largest) : Json()},
            {"time", to_seconds(copy.time)},
            {"overlapped", to_seconds(copy.overlapped)},
            {"blocking", copy.blocking},
            {"waited", to_seconds(copy.waited)}};
  });
}

Json json_of(const std::vector<GpuSummary>& gpus) {
  return list_of(gpus, [&](const GpuSummary& gpu) -> Json {
    return {{"device", gpu.properties.device},
            {"name", gpu.properties.name},
            {"utilization", gpu.utilization},
            {"sm_efficiency", json_of(gpu.sm_efficiency)},
            {"achieved_occupancy", json_of(gpu.achieved_occupancy)},
            {"tensor_core_share", json_of(gpu.tensor_core_share)}};
  });
}

Json json_of(const std::vector<DeviceTimes>& devices) {
  return list_of(devices, [&](const DeviceTimes& times) -> Json {
    return {{"device", times.device},
            {"steps", to_seconds(times.steps)},
            {"gpu_busy", times.gpu_busy()},
            {"copies", to_seconds(times.copies)},
            {"copy_overlap", json_of(times.copy_overlap())},
            {"exposed_copy", to_seconds(times.exposed_copy())},
            {"idle", to_seconds(times.idle.total())},
            {"idle_in_next", to_seconds(times.idle.loader)},
            {"idle_in_runtime", to_seconds(times.idle.runtime)},
            {"idle_in_operators", to_seconds(times.idle.operators)},
            {"idle_elsewhere", to_seconds(times.idle.other)},
            {"idle_after_waits", to_seconds(times.idle_after_waits())},
            {"waits", times.waits}};
  });
}

Json json_of(const std::vector<TemporalBreakdown>& gpus) {
  return list_of(gpus, [&](const TemporalBreakdown& gpu) -> Json {
    return {{"device", gpu.device},
            {"total", to_seconds(gpu.total)},
            {"idle", to_seconds(gpu.idle)},
            {"compute", to_seconds(gpu.compute)},
            {"non_compute", to_seconds(gpu.non_compute)},
            {"communication", to_seconds(gpu.communication)},
            {"communication_overlap", json_of(communication_overlap(gpu))}};
  });
}

Json json_of(const std::vector<IdleBreakdown>& streams) {
  return list_of(streams, [&](const IdleBreakdown& idle) -> Json {
    return {{"device", idle.device},
            {"stream", idle.stream},
            {"host_wait", to_seconds(idle.host_wait)},
            {"kernel_wait", to_seconds(idle.kernel_wait)},
            {"other", to_seconds(idle.other)}};
  });
}

Json json_of(const WorkSum& sum) { return {{"count", sum.count}, {"time", to_seconds(sum.time)}}; }

Json work_of(const KernelTable& table) {
  Json types = Json::object();
  for (std::size_t i = 0; i < kWorkTypes.size(); ++i) {
    types[std::string(work_type_title(kWorkTypes[i]))] = json_of(table.types[i]);
  }
  types["on_tensor_cores"] = table.on_tensor_cores ? json_of(*table.on_tensor_cores) : Json();
  return types;
}

Json kernels_of(const TraceReport& report) {
  return list_of(report.kernels.kernels, [&](const KernelRow& row) -> Json {
    return {{"name", report.file.timeline.names.text(row.name)},
            {"calls", row.sum.count},
            {"time", to_seconds(row.sum.time)},
            {"longest", to_seconds(row.longest)},
            {"tensor_cores", row.on_tensor_cores ? Json(*row.on_tensor_cores) : Json()}};
  });
}

Json operators_of(const TraceReport& report) {
  const NameTable& names = report.file.timeline.names;
  return list_of(report.operators, [&](const OperatorRow& row) -> Json {
    return {{"name", names.text(row.name)},
            {"shapes", row.shapes == kNoName ? Json() : Json(names.text(row.shapes))},
            {"calls", row.calls},
            {"device_time", to_seconds(row.device)},
            {"host_self_time", to_seconds(row.host)},
            {"flops", json_of(row.flops)}};
  });
}

Json peak_of(std::int32_t device, const MemoryPeak& peak) {
  return {{"device", device == kHost ? Json() : Json(device)},
          {"allocated", peak.allocated_bytes},
          {"reserved", peak.reserved_bytes}};
}

Json memory_of(const Timeline& timeline) {
  Json list = Json::array();
  for (const GpuProperties& gpu : timeline.gpus) {
    if (gpu.peak.allocated_bytes > 0) list.push_back(peak_of(gpu.device, gpu.peak));
  }
  if (timeline.host_peak.allocated_bytes > 0) list.push_back(peak_of(kHost, timeline.host_peak));
  return list;
}

Json json_of(const std::vector<Advice>& advice) {
  return list_of(advice, [&](const Advice& piece) -> Json {
    return {{"text", piece.text}, {"evidence", piece.evidence}};
  });
}

}  // namespace

std::string to_json(const TraceReport& report) {
  const TraceFile& file = report.file;
  const ExecutionSummary& execution = report.summary.execution;
  Json facts = Json::object();
  for (const auto& [name, value] : file.facts) facts[name] = value;
  constexpr int kTraceVersion = 1;
  const Json json{{"schema_version", kTraceVersion},
                  {"file", report.name},
                  {"facts", facts},
                  {"events", file.events},
                  {"repaired", file.repaired},
                  {"cut", file.is_truncated},
                  {"damaged_at", file.damaged_at ? Json(*file.damaged_at) : Json()},
                  {"marked_steps", file.timeline.steps.size()},
                  {"step_time", execution.step_seconds},
                  {"shares", by_role([&](Role role) { return execution.share(role); })},
                  {"steps", steps_of(report)},
                  {"loader", json_of(report.loader)},
                  {"copies", json_of(report.summary.copies)},
                  {"gpus", json_of(report.summary.gpus)},
                  {"gpu_times", json_of(report.summary.devices)},
                  {"temporal_breakdown", json_of(report.summary.temporal)},
                  {"idle_breakdown", json_of(report.summary.stream_idle)},
                  {"work", work_of(report.kernels)},
                  {"kernels", kernels_of(report)},
                  {"operators", operators_of(report)},
                  {"memory_peaks", memory_of(file.timeline)},
                  {"advice", json_of(report.summary.advice)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace feedrate
