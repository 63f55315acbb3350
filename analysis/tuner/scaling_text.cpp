// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/scaling_text.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"
#include "analysis/limits.h"
#include "analysis/whose_loader.h"
#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

constexpr double kWorthALine = 0.01;

std::string scaled_rate(double rate) { return format_value(rate, Unit::kSamplesPerSecond); }

std::string bandwidth_text(double bytes) { return format_value(bytes, Unit::kBytes) + "/s"; }

std::string count_text(double count) { return format_value(count, Unit::kCount); }

std::string counted(double count, const char* what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1.0 ? "" : "s");
}

std::string name_of(const CellResult& cell, const ScalingAnswer& answer) {
  return one_line(name_cell(cell, varying_settings(answer.cells)), TableStyle::kTerminal);
}

std::string own_text(const StepLimit& own) {
  if (own.stall <= kBalance) return "GPU";
  if (own.what == Bottleneck::kStorage) return "waits for reads";
  return to_string(own.what);
}

std::string sample_text(const ScalingAnswer& answer) {
  const SampleReads& reads = answer.reads;
  if (reads.bytes == 0.0 && reads.round_trips == 0.0) {
    return "The dataset is on each node: no storage is shared.";
  }
  return fmt::format("A sample is {}, {:.3g} metadata operation{} and {:.3g} round trip{}.",
                     format_value(reads.bytes, Unit::kBytes), reads.metadata_operations,
                     reads.metadata_operations == 1.0 ? "" : "s", reads.round_trips,
                     reads.round_trips == 1.0 ? "" : "s");
}

const char* layout_text(Layout layout) {
  switch (layout) {
    case Layout::kMoreWorkers:
      return "as it is";
    case Layout::kPacked:
      return "packed into large files (tar, tfrecord)";
    case Layout::kStaged:
      return "copied to each node first (dataset.staging)";
    case Layout::kAsItIs:
      break;
  }
  return "as it is";
}

class ScalingPrinter {
 public:
  ScalingPrinter(std::ostream& out, const ScalingFindings& findings)
      : out_(out), findings_(findings) {}

  void print() const {
    out_ << fmt::format(
        "Predicted, not measured: by a model of the loader fitted to {} ({:g} cores a rank).\n{}\n",
        findings_.source, findings_.cores, question_text(findings_.question.cluster));
    for (const std::string& text :
         {whose_sentence(findings_.run), simulation_notice(findings_.run)}) {
      if (!text.empty()) out_ << text << '\n';
    }
    for (const ScalingAnswer& answer : findings_.answers) print(answer);
  }

 private:
  void print(const ScalingAnswer& answer) const {
    out_ << '\n';
    if (!answer.situation.empty()) out_ << fmt::format("{}:\n", answer.situation);
    out_ << sample_text(answer) << '\n';
    print_points(answer);
    out_ << saturation_sentence(answer, findings_.question.cluster) << '\n';
    for (const std::string& sentence : layout_sentences(answer, findings_.question.cluster)) {
      out_ << sentence << '\n';
    }
  }

  void print_points(const ScalingAnswer& answer) const {
    const Cluster& cluster = findings_.question.cluster;
    TextTable table;
    for (const char* const title : {"nodes", "ranks"}) table.add_column(title, Align::kRight);
    table.add_column("best settings", Align::kLeft);
    for (const char* const title : {"samples/s", "at least", "of linear"}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("limit", Align::kLeft);
    for (const ScalePoint& point : answer.points) {
      const auto ranks = static_cast<double>(point.nodes * cluster.ranks_per_node);
      table.add_row({count_text(static_cast<double>(point.nodes)), count_text(ranks),
                     name_of(*point.cell, answer), scaled_rate(point.bound.rate),
                     scaled_rate(point.at_least),
                     fmt::format("{:.0f} %", 100.0 * point.efficiency(cluster.ranks_per_node)),
                     limit_text(point.bound, point.own_limit)});
    }
    table.wrap(findings_.width);
    table.print(out_, TableStyle::kTerminal);
  }

  std::ostream& out_;
  const ScalingFindings& findings_;
};

}  // namespace

std::string question_text(const Cluster& cluster) {
  std::vector<std::string> storage;
  if (std::isfinite(cluster.storage_bandwidth)) {
    storage.push_back(bandwidth_text(cluster.storage_bandwidth));
  }
  if (cluster.storage_latency > 0.0) {
    storage.push_back(format_value(cluster.storage_latency, Unit::kSeconds) + " a round trip");
  }
  if (std::isfinite(cluster.metadata_rate)) {
    storage.push_back(format_number(cluster.metadata_rate) + " metadata operations/s");
  }
  std::string text = fmt::format("{} a node on up to {}",
                                 counted(static_cast<double>(cluster.ranks_per_node), "rank"),
                                 counted(static_cast<double>(cluster.nodes), "node"));
  text += storage.empty() ? ", a storage without limits"
                          : fmt::format(", a shared storage of {}", fmt::join(storage, ", "));
  if (std::isfinite(cluster.node_bandwidth)) {
    text += fmt::format(", links of {} a node", bandwidth_text(cluster.node_bandwidth));
  }
  return text + ".";
}

std::string limit_text(const ScaleBound& bound, const StepLimit& own) {
  switch (bound.limit) {
    case ScaleLimit::kBandwidth:
      return "storage bandwidth";
    case ScaleLimit::kMetadata:
      return "metadata operations";
    case ScaleLimit::kNodeLink:
      return "a node's link";
    case ScaleLimit::kOwn:
      break;
  }
  return own_text(own);
}

std::string saturation_sentence(const ScalingAnswer& answer, const Cluster& cluster) {
  const ScalePoint& last = answer.points.back();
  if (!answer.saturates_at) {
    return fmt::format("No number of nodes saturates the storage; the limit of each rank is: {}.",
                       own_text(last.own_limit));
  }
  Cluster saturated = cluster;
  saturated.nodes = static_cast<std::size_t>(*answer.saturates_at);
  const ScaleBound bound = scale_bound(last.own_rate, answer.reads, saturated);
  const std::string what = limit_text(bound, last.own_limit);
  if (*answer.saturates_at > static_cast<double>(cluster.nodes)) {
    return fmt::format(
        "It would saturate from {} on, on {}; up to then the limit of each rank is: "
        "{}.",
        counted(*answer.saturates_at, "node"), what, own_text(last.own_limit));
  }
  return fmt::format(
      "It saturates from {} on, on {}: {} reach {}, and with a storage that keeps up {}.",
      counted(*answer.saturates_at, "node"), what,
      counted(static_cast<double>(cluster.nodes), "node"), scaled_rate(last.bound.rate),
      scaled_rate(last.own_rate * static_cast<double>(cluster.ranks())));
}

std::vector<std::string> layout_sentences(const ScalingAnswer& answer, const Cluster& cluster) {
  std::vector<std::string> sentences;
  if (answer.layouts.size() < 2) return sentences;
  const double as_it_is = answer.layouts.front().bound.rate;
  for (const LayoutForecast& other : answer.layouts) {
    const double gain = other.bound.rate / as_it_is - 1.0;
    if (other.layout == Layout::kAsItIs || gain < kWorthALine) continue;
    const bool is_wider = other.num_workers > answer.layouts.front().num_workers;
    std::string text = fmt::format(
        "On {} the dataset {}{} reaches {}, {:.3g} times as much (limit: {})",
        counted(static_cast<double>(cluster.nodes), "node"), layout_text(other.layout),
        is_wider ? fmt::format(" with num_workers={}", other.num_workers) : "",
        scaled_rate(other.bound.rate), 1.0 + gain, limit_text(other.bound, other.own_limit));
    if (other.layout == Layout::kStaged && std::isfinite(other.break_even_epochs)) {
      text +=
          fmt::format("; the copies take {} and pay after {:.1f} epochs",
                      format_value(other.staging_time, Unit::kSeconds), other.break_even_epochs);
    }
    sentences.push_back(text + ".");
  }
  if (sentences.empty()) {
    sentences.emplace_back(
        "Neither more workers nor packing nor staging the dataset would gain anything there.");
  }
  return sentences;
}

void print_scaling(std::ostream& out, const ScalingFindings& findings) {
  ScalingPrinter(out, findings).print();
}

}  // namespace feedrate
