// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_findings_print.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr std::size_t kMostLines = 50;

using FindingRow = std::vector<std::string>;

std::string in_ms(Nanos time) { return fmt::format("{:.3f}", 1e3 * to_seconds(time)); }
std::string with_ms(Nanos time) { return in_ms(time) + " ms"; }

std::string times(std::size_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::vector<Role> roles_seen(const ExecutionSummary& execution) {
  std::vector<Role> roles;
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    if (role == kOtherRole || role == Role::kDataLoader || execution.seconds(role) > 0) {
      roles.push_back(role);
    }
  }
  return roles;
}

FindingRow step_row(const StepCosts& costs, const StepLoading& loading,
                    const std::vector<Role>& roles) {
  FindingRow row{fmt::format("{}", costs.step.number), in_ms(costs.step.span.length())};
  for (const Role role : roles) row.push_back(in_ms(costs[role]));
  row.push_back(in_ms(loading.raw));
  row.push_back(in_ms(loading.exposed));
  return row;
}

void print_right_aligned(std::ostream& out, const std::vector<FindingRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const FindingRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const FindingRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << fmt::format("{}{:>{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    }
    out << '\n';
  }
}

Nanos sum_exposed(const LoaderStalls& loader) {
  Nanos sum{};
  for (const StepLoading& step : loader.steps) sum += step.exposed;
  return sum;
}

Nanos sum_raw(const LoaderStalls& loader) {
  Nanos sum{};
  for (const StepLoading& step : loader.steps) sum += step.raw;
  return sum;
}

std::string percent_of(Nanos part, const ExecutionSummary& execution) {
  const double all = execution.step_seconds * static_cast<double>(execution.steps.size());
  return fmt::format("{:.2f} %", all > 0 ? 100 * to_seconds(part) / all : 0.0);
}

void print_outliers(std::ostream& out, const LoaderStalls& loader) {
  const auto count = std::count_if(loader.waits.begin(), loader.waits.end(),
                                   [](const LoaderWait& wait) { return wait.is_outlier; });
  if (count == 0) return;
  Nanos longest{};
  for (const LoaderWait& wait : loader.waits) longest = std::max(longest, wait.raw());
  out << fmt::format(
      "* {} of {} calls took much longer than the others, up to {}: the first call of an epoch "
      "while workers start (set persistent_workers), or a slow read.\n",
      count, loader.waits.size(), with_ms(longest));
}

void print_periodic(std::ostream& out, const LoaderStalls& loader) {
  if (!loader.periodic) return;
  const PeriodicStall& stall = *loader.periodic;
  out << fmt::format(
      "* One call in every {} waits: {}, the others {}. This is typical of num_workers {} if the "
      "workers finish together and are slower than the step, or if one worker is slow: use more "
      "workers, or a cheaper sample.\n",
      stall.period, with_ms(stall.stalled), with_ms(stall.others), stall.period);
}

void print_pinning(std::ostream& out, const LoaderStalls& loader) {
  if (loader.pinned_late.count == 0) return;
  out << fmt::format(
      "* Host memory was page-locked {} after the first step, {} in total: the pinned pool still "
      "grows, as with batches of varying size. Each of these calls stalls the process.\n",
      times(loader.pinned_late.count), with_ms(loader.pinned_late.time));
}

std::string size_text(std::uint64_t bytes, int digits) {
  const auto count = static_cast<double>(bytes);
  return bytes < 100'000 ? fmt::format("{:.1f} kB", count / 1e3)
                         : fmt::format("{:.{}f} MB", count / 1e6, digits);
}

void print_copy(std::ostream& out, const CopyFinding& copy) {
  out << fmt::format("* {} {} from {} memory: {} in {}", copy.copies,
                     copy.copies == 1 ? "copy" : "copies", memory_kind_name(copy.source),
                     copy.has_bytes() ? size_text(copy.bytes, 1) : "size not recorded",
                     with_ms(copy.time));
  if (copy.time > Nanos(0)) {
    if (copy.has_bytes()) out << fmt::format(", {:.2f} GB/s", copy.bytes_per_second() / 1e9);
    out << fmt::format(", {:.1f} % overlapped by kernels", 100 * copy.overlapped_share());
  }
  if (copy.has_bytes()) out << "; the largest " << size_text(copy.largest, 3);
  out << ".\n";
  if (copy.blocking > 0) {
    out << fmt::format("  The host waited for {} of them, {} in total: non_blocking was not set.\n",
                       copy.blocking, with_ms(copy.waited));
  } else {
    out << "  The host did not wait for them: non_blocking was set.\n";
  }
  if (copy.source == MemoryKind::kPageable) {
    out << "  With pin_memory=True in the DataLoader they run at the rate of the link and overlap "
           "with kernels.\n";
  }
}

}  // namespace

void print_steps(std::ostream& out, const ExecutionSummary& execution, const LoaderStalls& loader) {
  const std::vector<Role> roles = roles_seen(execution);
  FindingRow titles{"Step", "Total"};
  for (const Role role : roles) titles.emplace_back(role_title(role));
  titles.emplace_back("next() raw");
  titles.emplace_back("next() exposed");
  std::vector<FindingRow> rows{std::move(titles)};
  const std::size_t count = execution.steps.size();
  const bool is_long = count > kMostLines;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_long && i == kMostLines / 2) {
      rows.emplace_back(rows.front().size(), "...");
      i = count - kMostLines / 2;
    }
    rows.push_back(step_row(execution.steps[i], loader.steps[i], roles));
  }
  out << "Steps (ms)\n";
  print_right_aligned(out, rows);
}

void print_loader(std::ostream& out, const ExecutionSummary& execution,
                  const LoaderStalls& loader) {
  out << "Loader\n";
  if (loader.waits.empty()) {
    out << "* The trace has no DataLoader call.\n";
  } else {
    const Nanos raw = sum_raw(loader), exposed = sum_exposed(loader);
    out << fmt::format(
        "* {} call{} of next(), median {}: {} in total, {} of the steps; {} of it with the GPU "
        "idle, {} of the steps.\n",
        loader.waits.size(), loader.waits.size() == 1 ? "" : "s", with_ms(loader.median),
        with_ms(raw), percent_of(raw, execution), with_ms(exposed), percent_of(exposed, execution));
  }
  print_periodic(out, loader);
  print_outliers(out, loader);
  print_pinning(out, loader);
}

void print_copies(std::ostream& out, const std::vector<CopyFinding>& copies) {
  out << "Copies to the GPU\n";
  if (copies.empty()) out << "* None during the steps.\n";
  for (const CopyFinding& copy : copies) print_copy(out, copy);
}

}  // namespace feedrate
