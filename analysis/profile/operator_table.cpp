// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/operator_table.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/profile/device_work.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

using Shape = std::vector<double>;

bool is_operator(const Activity& activity) {
  return activity.device == kHost &&
         (activity.role == Role::kCpuExec || activity.role == Role::kCommunication);
}

// Parses "[64,3],[3,8],[]"; empty for anything else, such as lists of tensors.
std::vector<Shape> parse_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  while (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    std::string_view inside = text.substr(1, end - 1);
    Shape& shape = shapes.emplace_back();
    while (!inside.empty()) {
      const std::size_t comma = std::min(inside.find(','), inside.size());
      const auto size = parse_number<double>(inside.substr(0, comma));
      if (!size) return {};
      shape.push_back(*size);
      inside.remove_prefix(std::min(comma + 1, inside.size()));
    }
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return shapes;
}

/// FLOPs of the matrix product of a and b, which may have a batch dimension in front.
std::optional<double> flops_of_product(const Shape& a, const Shape& b, std::size_t dimensions) {
  if (a.size() != dimensions || b.size() != dimensions) return std::nullopt;
  if (a.back() != b[dimensions - 2]) return std::nullopt;
  double flops = 2.0 * b.back();
  for (const double size : a) flops *= size;
  return flops;
}

class OperatorTable {
 public:
  explicit OperatorTable(const Timeline& timeline) : timeline_(timeline) {}

  std::vector<OperatorRow> make() {
    for (const Activity& activity : timeline_.activities) {
      if (is_operator(activity)) add_call(activity);
    }
    add_device_times();
    std::stable_sort(rows_.begin(), rows_.end(), [](const OperatorRow& a, const OperatorRow& b) {
      return std::pair(a.device, a.host) > std::pair(b.device, b.host);
    });
    return std::move(rows_);
  }

 private:
  struct Open {
    TimeInterval span;
    std::size_t row = 0;
  };
  using Stack = std::vector<Open>;

  std::size_t row_of(const Activity& activity) {
    const auto [known, is_new] =
        row_by_key_.try_emplace({activity.name, activity.shapes}, rows_.size());
    if (!is_new) return known->second;
    OperatorRow& row = rows_.emplace_back();
    row.name = activity.name;
    row.shapes = activity.shapes;
    if (row.shapes != kNoName) {
      row.flops = matrix_flops(timeline_.names.text(row.name), timeline_.names.text(row.shapes));
    }
    return known->second;
  }

  // Activities are sorted by begin. The time of a nested call is subtracted from its parent.
  void add_call(const Activity& call) {
    const std::size_t row = row_of(call);
    const Nanos length = call.span.length();
    Stack& stack = open_[{call.process, call.lane}];
    while (!stack.empty() && stack.back().span.end <= call.span.begin) stack.pop_back();
    if (!stack.empty()) {
      rows_[stack.back().row].host -=
          std::min(call.span.end, stack.back().span.end) - call.span.begin;
    }
    stack.push_back({call.span, row});
    ++rows_[row].calls;
    rows_[row].host += length;
    if (call.external_id != 0) row_of_id_[call.external_id] = row;
  }

  void add_device_times() {
    const ExternalIds of_calls = external_ids_of_calls(timeline_.activities);
    for (const Activity& work : timeline_.activities) {
      if (!is_kernel(work)) continue;
      const auto row = row_of_id_.find(launching_operator(work, of_calls));
      if (row != row_of_id_.end()) rows_[row->second].device += work.span.length();
    }
  }

  const Timeline& timeline_;
  std::vector<OperatorRow> rows_;
  std::map<std::pair<NameId, NameId>, std::size_t> row_by_key_;
  std::unordered_map<std::uint64_t, std::size_t> row_of_id_;
  std::map<std::pair<std::int64_t, std::int64_t>, Stack> open_;  // By lane.
};

}  // namespace

std::optional<double> OperatorRow::flops_per_second() const {
  if (!flops || device == Nanos(0)) return std::nullopt;
  return *flops * static_cast<double>(calls) / to_seconds(device);
}

std::vector<OperatorRow> operator_table(const Timeline& timeline) {
  return OperatorTable(timeline).make();
}

std::optional<double> matrix_flops(std::string_view operator_name, std::string_view shapes) {
  const bool is_batched = operator_name == "aten::bmm" || operator_name == "aten::baddbmm";
  const bool is_added = operator_name == "aten::addmm" || operator_name == "aten::baddbmm";
  if (!is_batched && !is_added && operator_name != "aten::mm") return std::nullopt;
  const std::vector<Shape> inputs = parse_shapes(shapes);
  const std::size_t first = is_added ? 1 : 0;
  if (inputs.size() < first + 2) return std::nullopt;
  return flops_of_product(inputs[first], inputs[first + 1], is_batched ? 3 : 2);
}

}  // namespace feedrate
