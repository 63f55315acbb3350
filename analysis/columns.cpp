// SPDX-License-Identifier: Apache-2.0
#include "analysis/columns.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analysis/rank_rules.h"

namespace feedrate {
namespace {

using enum Unit;

constexpr auto kColumns = std::to_array<Column>({
    {"loading_time", kSeconds, true,
     "Mean seconds per step spent waiting for the batch and in the copy call, on the host. With "
     "non_blocking the copy itself is part of training_time instead."},
    {"training_time", kSeconds, true,
     "Mean seconds per step spent after the copy call: launching the step and waiting for it "
     "according to sync_every, on the host."},
    {"first_batch_time", kSeconds, true,
     "Seconds from start_epoch() to the first batch of an epoch; median over the epochs after the "
     "first."},
    {"samples_per_second", kSamplesPerSecond, true,
     "Measured samples divided by the wall time of the measured steps; mean over the repeats."},
    {"samples_per_second_low", kSamplesPerSecond, false,
     "Lower end of the 95 % confidence interval of samples_per_second over the repeats. Missing "
     "with one repeat."},
    {"samples_per_second_high", kSamplesPerSecond, false,
     "Upper end of the interval of samples_per_second_low."},
    {"au", kRatio, true,
     "Accelerator utilization as defined by MLPerf Storage: compute time on the device divided by "
     "the total time of the measured steps. 1: the device never waited for data; 0: it always "
     "waited."},
    {"memory", kBytes, true,
     "Peak proportional set size (PSS) of the process and all its children: host memory used by "
     "the loader, with shared pages counted once."},
    {"au_verdict", kVerdict, true,
     "Whether au reaches measure.au_threshold, as MLPerf Storage asks of a result: 1 is pass, 0 is "
     "fail. Missing where no threshold is given."},
    {"step_time", kSeconds, false, "Mean seconds of a whole step: loading_time + training_time."},
    {"step_time_p50", kSeconds, false, "Median of step_time."},
    {"step_time_p90", kSeconds, false, "90th percentile of step_time."},
    {"step_time_p99", kSeconds, false, "99th percentile of step_time."},
    {"step_time_max", kSeconds, false, "Longest step_time."},
    {"loading_time_p50", kSeconds, false, "Median of loading_time."},
    {"loading_time_p90", kSeconds, false, "90th percentile of loading_time."},
    {"loading_time_p99", kSeconds, false, "99th percentile of loading_time."},
    {"loading_time_max", kSeconds, false, "Longest loading_time."},
    {"loading_time_ema", kSeconds, false,
     "Exponential moving average of loading_time at the last kept step, as training scripts print "
     "it."},
    {"training_time_p50", kSeconds, false, "Median of training_time."},
    {"training_time_p90", kSeconds, false, "90th percentile of training_time."},
    {"training_time_p99", kSeconds, false, "99th percentile of training_time."},
    {"training_time_max", kSeconds, false, "Longest training_time."},
    {"training_time_ema", kSeconds, false,
     "Exponential moving average of training_time at the last kept step."},
    {"wait_time", kSeconds, false,
     "Mean seconds per step spent waiting in next(): the loader's part of loading_time."},
    {"copy_time", kSeconds, false,
     "Mean seconds per step spent in the copy call, on the host: the other part of loading_time."},
    {"first_batch_time_cold", kSeconds, false,
     "Seconds from start_epoch() to the first batch in the first epoch of a new loader, including "
     "the start of its workers."},
    {"epoch_end_time", kSeconds, false,
     "Seconds from the last batch of an epoch until the loader reports the end of the epoch."},
    {"job_time", kSeconds, false,
     "Seconds of a job of one epoch: first_batch_time_cold, batches_per_epoch steps of step_time, "
     "and epoch_end_time. Includes the start of the workers, unlike samples_per_second."},
    {"gpu_busy", kRatio, false,
     "Union of the kernel intervals divided by the window, on the device timeline, without copies. "
     "1: a kernel ran all the time; 0: none ran."},
    {"copy_overlap", kRatio, false,
     "Share of the copy time that overlaps a running kernel. 1: copies cost no extra time; 0: no "
     "copy overlaps with compute."},
    {"compute_time_device", kSeconds, false,
     "Mean seconds of kernels per step, on the device timeline."},
    {"copy_time_device", kSeconds, false,
     "Mean seconds of copies per step, on the device timeline."},
    {"flops_per_second", kNone, false,
     "Floating point operations per second of kernel time, counted from the sizes of the matrix "
     "products. Only with trainer gemm and cnn."},
    {"flops_of_peak", kRatio, false,
     "flops_per_second as a share of one product of 8192 x 8192 x 8192 on the same device in the "
     "same precision. 1: as good as a large product; 0: the device is hardly used."},
    {"read_time", kSeconds, false,
     "Wall seconds per sample for reading from storage or the page cache, in the worker."},
    {"decode_time", kSeconds, false, "Wall seconds per sample for decoding, in the worker."},
    {"transform_time", kSeconds, false,
     "Wall seconds per sample for the transforms, in the worker."},
    {"cpu_time", kSeconds, false,
     "CPU seconds per sample, user and system, of this process, its workers, and Python with the "
     "PyTorch engine."},
    {"fetch_time", kSeconds, false,
     "Wall seconds per sample for fetching and collating a batch, in the worker. Only of `feedrate "
     "run`."},
    {"fetch_cpu_time", kSeconds, false, "CPU seconds of the same."},
    {"data_readiness", kRatio, false,
     "Share of the window in which the next batch was ready. 1: the next batch was always ready; "
     "0: the trainer always waited for it."},
    {"padding_share", kRatio, true,
     "Share of padding in the measured batches of token sequences. 1: only padding; 0: none."},
    {"tokens_per_second", kNone, true,
     "Tokens per second: tokens of the measured batches, without padding, divided by the wall time "
     "of the measured steps."},
    {"pinned_memory", kBytes, false, "Peak page-locked host memory of the loader's buffers."},
    {"pinned_copies", kRatio, false,
     "Share of the copies to the device from page-locked memory, as recorded by CUPTI. 1: all "
     "copies; 0: none. Only with --trace on a CUDA device."},
    {"nvml_utilisation", kRatio, false,
     "Share of the time in which a kernel of any program ran, as sampled by the driver (NVML); a "
     "coarse check of gpu_busy. 1: always; 0: never. This column and the ten below: mean over the "
     "window and the discarded steps before it, only on a CUDA device."},
    {"nvml_utilisation_max", kRatio, false,
     "Largest sample of that share. 1: a kernel ran all the time; 0: none ran."},
    {"sm_clock", kNone, false, "Clock of the GPU's multiprocessors in Hz (NVML)."},
    {"sm_clock_min", kNone, false, "Lowest reading of that clock in Hz."},
    {"memory_clock", kNone, false, "Clock of the GPU's memory in Hz (NVML)."},
    {"gpu_power", kNone, false, "Power of the GPU in W (NVML)."},
    {"gpu_power_max", kNone, false, "Largest reading of the power in W."},
    {"gpu_memory_max", kBytes, false, "Largest device memory used by all programs (NVML)."},
    {"gpu_throttled", kRatio, false,
     "Share of the readings in which the driver throttled the clocks, for example for power or "
     "temperature (NVML). 1: always; 0: never."},
    {"pcie_generation_max", kCount, false,
     "Highest generation of the PCIe link (NVML); an idle GPU lowers it."},
    {"pcie_width_max", kCount, false, "Largest number of lanes of the PCIe link (NVML)."},
    {"cpu_busy", kRatio, false,
     "Share of the CPUs that feedrate may use that were busy with any program during the window. "
     "1: none was idle; 0: all were. Missing where the window is shorter than 0.2 s."},
    {"memory_used", kRatio, false,
     "Largest share of the machine's memory that was unavailable, or of the control group's limit "
     "where that is fuller. 1: memory was full; 0: it was free."},
    {"gpu_memory_used", kRatio, false,
     "Largest share of the GPU's memory used by all processes (NVML). 1: it was full; 0: it was "
     "free."},
    {"network_busy", kRatio, false,
     "Share of the network link speed used during the measured steps, for the busiest interface in "
     "its busier direction. 1: the link was full; 0: it was unused. Missing if no link reports its "
     "speed."},
    {"monitor_cpu", kRatio, false,
     "Share of one CPU used by the machine monitor (`feedrate help monitoring`). 1: a whole CPU; "
     "0: "
     "nothing."},
    {"cpus", kCount, false,
     "CPUs that feedrate might use, by affinity. This and the next four are missing where "
     "measure.monitor is false, the window is shorter than 0.2 s, or ranks share CPUs."},
    {"foreign_cpu", kNone, false,
     "Mean number of CPUs that other programs took, without interrupts, the kernel's threads, and "
     "stolen time."},
    {"steal", kNone, false, "Mean number of CPUs that the host of this virtual machine withheld."},
    {"foreign_io", kNone, false,
     "Bytes per second that other programs read from or wrote to the dataset's block device."},
    {"disturbed", kRatio, false,
     "Share of the repeats that were disturbed in each of up to three tries: others took more than "
     "5 % of the CPUs (foreign_cpu + steal) while less than half were idle. 1: all; 0: none."},
    {"batches_per_epoch", kCount, false, "Batches the loader yields in one epoch."},
    {"samples_dropped", kCount, false,
     "Samples per epoch that drop_last drops with the incomplete batch."},
    {"cached_before", kRatio, false,
     "Share of the dataset's bytes in the page cache before the cell started, from mincore(). 1: "
     "all reads came from memory; 0: all reads came from storage."},
    {"cached_after", kRatio, false,
     "The same share after the cell. 1: everything is in the page cache; 0: nothing is. Less than "
     "1 after reading everything: the page cache cannot hold the dataset."},
    {"staging_time", kSeconds, false,
     "Seconds for copying the dataset to storage or memory of this node, once per sweep. Missing "
     "if the dataset is used in place."},
    {"called_read_bytes", kBytes, false,
     "Bytes returned by read calls during the cell, including page cache hits, pipes and sockets "
     "between processes (rchar of /proc/PID/io). Mapped files, as in LMDB, do not count."},
    {"files_opened", kNone, false,
     "Files that feedrate's readers and workers opened during the cell. Only with the native "
     "engine; what LMDB and HDF5 open does not count."},
    {"server_requests", kNone, false,
     "Requests to a server (`s3://`, `http://`) during the cell, those that were repeated among "
     "them. Missing where there were none."},
    {"server_requests_repeated", kNone, false,
     "How many of them were made again: the server was busy or silent, or an answer came damaged. "
     "More than a few percent: it is the server that limits the rate."},
    {"storage_read_bytes", kBytes, false,
     "Bytes read from storage during the cell, without page cache hits. With engine torch and "
     "group_by_length also the bytes read for the lengths of all sequences."},
    {"steps", kCount, false, "Number of measured steps, over all repeats."},
    {"repeats", kCount, false, "Number of measured repeats."},
    {"step_limit", kSamplesPerSecond, false,
     "samples_per_second of the same trainer with the resident loader, whose batch stays on the "
     "device: the rate of the step without a copy. Measured with --axis loader=…,resident."},
    {"trainer_limit", kSamplesPerSecond, false,
     "samples_per_second of the same trainer with the mock loader and the best copy of the sweep: "
     "what perfect loading would reach."},
    {"loader_limit", kSamplesPerSecond, false,
     "samples_per_second of the loader with the mock trainer, for this format and batch size, with "
     "the most workers of the sweep."},
    {"stall", kRatio, true,
     "Share of the step that perfect loading would save: 1 - samples_per_second / trainer_limit. "
     "1: all time is spent waiting for data; 0: faster loading gains nothing. Up to 2 % counts as "
     "nothing."},
    {"headspace", kNone, false,
     "Largest possible speedup from faster loading: trainer_limit / samples_per_second. 1: none; "
     "2: twice the speed."},
    {"prep_stall", kRatio, true,
     "Share of the step spent preparing data with all of it in the page cache: 1 - "
     "samples_per_second of the cell with cache=warm / trainer_limit. 1: all time is spent "
     "preparing; 0: none. DS-Analyzer's prep stall; in both cells of a pair with cache=warm and "
     "cache=cold."},
    {"fetch_stall", kRatio, true,
     "Share of the step added by fetching data from storage: 1 - samples_per_second of the cell "
     "with cache=cold / that of the same cell with cache=warm. 1: all time is spent fetching; 0: "
     "storage costs nothing. DS-Analyzer's fetch stall."},
    {"memory_predicted", kBytes, false,
     "Predicted upper bound of memory, with the maximum number of outstanding batches."},
    {"pinned_memory_predicted", kBytes, false,
     "Predicted upper bound of pinned_memory, in blocks of powers of two."},
    {"all_reduce_time", kSeconds, true,
     "Mean seconds per step for the all-reduce of all_reduce_bytes, including waiting for the "
     "slowest rank; part of training_time. Only with several ranks and an all-reduce."},
    {"slowest_rank", kCount, true,
     "Rank with the longest steps, without all_reduce_time, which includes waiting; over several "
     "repeats the most frequent one. Only with several ranks."},
    {"straggler", kRatio, true,
     "Share by which slowest_rank lags the median rank, in step_time without all_reduce_time. 1: "
     "it needs twice the time; 0: no difference. Only with several ranks."},
});

constexpr std::string_view kMarkdownHead =
    R"(# Columns

For readers of `cells.csv`. `run.json` has the same metrics. Values are in base units (seconds, bytes, ratios from 0
to 1); a missing value is empty, never 0. The file begins with:

- `jobid`: Slurm's, of the job that measured the cell
- `simulated`: true where a device was simulated
- `cell`: the cell's place in the plan
- `outcome`: ok, skipped, failed, pending
- `reason`
- `bottleneck`: storage, decode CPU, transport, copy, GPU, step CPU, balanced, [other programs](measurement.md#foreign-load)
  ([how it is found](measurement.md#the-two-limits)); empty in reference cells and with `--no-limits`
- `node`: the node that measured the cell

Then come the settings, then the columns below: unit; "table" if shown on the terminal and in `table.md`; and how the
figure of a cell with several [ranks](ranks.md) comes from theirs: `sum`, `mean`, `max`, or that of the `slowest` rank.
Without such a word it is of all ranks together. `ranks.csv` has each rank's.

`feedrate columns` writes this page from `analysis/columns.cpp`.

)";

std::string marks_of(const Column& column) {
  std::string marks;
  for (const std::string_view mark :
       {unit_name(column.unit), std::string_view(column.in_table ? "table" : ""),
        rule_name(across_ranks(column.tag))}) {
    if (mark.empty()) continue;
    if (!marks.empty()) marks += ", ";
    marks += mark;
  }
  return marks;
}

}  // namespace

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return "s";
    case Unit::kBytes:
      return "bytes";
    case Unit::kSamplesPerSecond:
      return "samples/s";
    case Unit::kRatio:
      return "ratio";
    case Unit::kCount:
      return "count";
    case Unit::kVerdict:
      return "verdict";
    case Unit::kNone:
      break;
  }
  return "";
}

std::span<const Column> metric_columns() { return kColumns; }

const Column* find_column(std::string_view tag) {
  const auto* const found = std::find_if(kColumns.begin(), kColumns.end(),
                                         [&](const Column& column) { return column.tag == tag; });
  return found == kColumns.end() ? nullptr : found;
}

std::string columns_markdown() {
  std::string page(kMarkdownHead);
  for (const Column& column : kColumns) {
    const std::string marks = marks_of(column);
    page += fmt::format("- `{}`{}: {}\n", column.tag, marks.empty() ? "" : " (" + marks + ")",
                        column.meaning);
  }
  return page;
}

}  // namespace feedrate
