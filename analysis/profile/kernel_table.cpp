// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/kernel_table.h"

#include <algorithm>
#include <map>

#include "analysis/profile/device_work.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/tensor_cores.h"

namespace feedrate {
namespace {

void add_to(WorkSum& sum, const Activity& activity) {
  ++sum.count;
  sum.time += activity.span.length();
}

WorkSum& type_of(KernelTable& table, Role role) {
  const auto* const type = std::find(kWorkTypes.begin(), kWorkTypes.end(), role);
  return table.types[static_cast<std::size_t>(type - kWorkTypes.begin())];
}

std::vector<KernelRow> rows_of(const Timeline& timeline) {
  std::map<NameId, KernelRow> by_name;
  for (const Activity& activity : timeline.activities) {
    if (!is_kernel(activity)) continue;
    KernelRow& row = by_name[activity.name];
    row.name = activity.name;
    row.longest = std::max(row.longest, activity.span.length());
    add_to(row.sum, activity);
  }
  std::vector<KernelRow> rows;
  for (const auto& [name, row] : by_name) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.sum.time > b.sum.time; });
  return rows;
}

void mark_tensor_cores(KernelTable& table, const NameTable& names) {
  table.on_tensor_cores = WorkSum();
  for (KernelRow& row : table.kernels) {
    row.on_tensor_cores = uses_tensor_cores(names.text(row.name));
    if (!*row.on_tensor_cores) continue;
    table.on_tensor_cores->count += row.sum.count;
    table.on_tensor_cores->time += row.sum.time;
  }
}

}  // namespace

Nanos KernelTable::total() const {
  Nanos total{};
  for (const WorkSum& type : types) total += type.time;
  return total;
}

KernelTable kernel_table(const Timeline& timeline) {
  KernelTable table;
  for (const Activity& activity : timeline.activities) {
    if (is_device_work(activity)) add_to(type_of(table, activity.role), activity);
  }
  table.kernels = rows_of(timeline);
  if (has_tensor_core_names(timeline)) mark_tensor_cores(table, timeline.names);
  return table;
}

std::string_view work_type_title(Role type) {
  return type == Role::kKernel ? "Compute" : role_title(type);
}

}  // namespace feedrate
