// SPDX-License-Identifier: Apache-2.0
// Makes each of the observers, which are one file each. One thread.
#pragma once
#include <functional>
#include <memory>

#include "bench/engines/observer.h"
#include "bench/engines/run_profile.h"
#include "device/activity.h"
#include "device/nvml_monitor.h"

namespace feedrate {

/// What a loader says of itself: pinned_memory, batches_per_epoch, samples_dropped, and job_time,
/// which follows from them.
[[nodiscard]] std::unique_ptr<StartObserver> make_loader_figures_observer();

/// What it took to copy the dataset to where it is used: staging_time.
/// Adds nothing where nothing was staged, or where the loader reads no dataset.
[[nodiscard]] std::unique_ptr<StartObserver> make_staging_observer(const StartContext& start);

/// Which share of the dataset lies in the page cache, right before the loader starts and when the
/// device has done its work: cached_before and cached_after, and a warning where the first is not
/// what was asked for.
/// Adds nothing where the dataset has no files.
[[nodiscard]] std::unique_ptr<StartObserver> make_page_cache_observer(const StartContext& start);

/// How much of the device's arithmetic the products of a cell reach: flops_of_peak.
/// Adds nothing where nothing was computed, or where the peak is not known.
[[nodiscard]] std::unique_ptr<StartObserver> make_gemm_peak_observer(const StartContext& start);

/// What a start really read, evidence beside its times: storage_read_bytes, called_read_bytes and,
/// of this process, files_opened and the requests to servers. What the system does not tell is not
/// there.
[[nodiscard]] std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start);

/// What a tracer (CUPTI) records of the device of this process, from the first step to be discarded
/// until the device has done its work: pinned_copies, and warnings where the recording is
/// incomplete or contradicts pin_memory. REQUIRES: start.device
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_trace_observer(
    const StartContext& start, std::function<TracerStarted(const DeviceInfo&)> start_tracing);

/// What NVML says of the GPU from the first step to be discarded on: the figures nvml_… and gpu_…
/// of docs/columns.md, and a warning where they contradict those of the events. `monitor` outlives
/// it, and is ready for the next start when it dies.
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_monitor_observer(GpuMonitor& monitor);

/// The machine while a cell runs: memory, and of its processors, disks and networks the figures and
/// series of docs/monitoring.md, those of the GPU among them.
/// Without `whole_machine` only the peak of memory is measured.
[[nodiscard]] std::unique_ptr<StartObserver> make_machine_monitor_observer(
    const StartContext& start, bool whole_machine);

/// Gives the timeline of a start, and the figures that the advice needs, to `sweep --trace` and
/// `sweep --profile`. Behind all others, whose figures it reads.
/// `start.cell` outlives it.
[[nodiscard]] std::unique_ptr<StartObserver> make_profile_observer(const StartContext& start,
                                                                   const ProfileSchedule& schedule,
                                                                   OnProfile on_profile);

}  // namespace feedrate
