// SPDX-License-Identifier: Apache-2.0
// The factories of the observers, each of which has a file. One thread.
#pragma once
#include <functional>
#include <memory>

#include "bench/engines/observer.h"
#include "bench/engines/run_profile.h"
#include "device/activity.h"
#include "device/nvml_monitor.h"

namespace feedrate {

/// Adds what a loader reports: pinned_memory, batches_per_epoch and samples_dropped, and job_time,
/// which follows from them.
[[nodiscard]] std::unique_ptr<StartObserver> make_loader_figures_observer();

/// Adds staging_time, the time to copy the dataset to the storage that is measured. Adds nothing if
/// nothing was staged or the loader reads no dataset.
[[nodiscard]] std::unique_ptr<StartObserver> make_staging_observer(const StartContext& start);

/// Adds the share of the dataset in the page cache right before the loader starts (cached_before)
/// and when the device is idle (cached_after), and a warning if the first is not what was asked
/// for. Adds nothing if the dataset has no files.
[[nodiscard]] std::unique_ptr<StartObserver> make_page_cache_observer(const StartContext& start);

/// Adds flops_of_peak: the share of the device's peak that matrix products reach. Adds nothing if
/// nothing was computed or the peak is unknown.
[[nodiscard]] std::unique_ptr<StartObserver> make_gemm_peak_observer(const StartContext& start);

/// Adds what a start really read: storage_read_bytes, called_read_bytes and, for this process,
/// files_opened and the requests to servers. Figures that the system does not report are missing.
[[nodiscard]] std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start);

/// Records this process's device by CUPTI from the first discarded step until the device is idle.
/// Adds pinned_copies, and warnings if the recording is incomplete or contradicts pin_memory.
/// REQUIRES: start.device
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_trace_observer(
    const StartContext& start, std::function<TracerStarted(const DeviceInfo&)> start_tracing);

/// Adds what NVML reports from the first discarded step on: the figures nvml_… and gpu_… of
/// docs/columns.md, and a warning if they contradict the events. `monitor` outlives the observer,
/// whose destructor makes it ready for the next start.
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_monitor_observer(GpuMonitor& monitor);

/// Monitors the machine while a cell runs: adds its peak memory, and the figures and series of
/// docs/monitoring.md for processors, disks, networks and the GPU. Uses the thread of CellMonitor,
/// too. If `whole_machine` is false, only the peak of memory is measured.
[[nodiscard]] std::unique_ptr<StartObserver> make_machine_monitor_observer(
    const StartContext& start, bool whole_machine);

/// Passes the timeline of a start and the figures for the advice to `sweep --trace` and
/// `sweep --profile`. It follows all other observers, whose figures it reads. `start.cell` outlives
/// it.
[[nodiscard]] std::unique_ptr<StartObserver> make_profile_observer(const StartContext& start,
                                                                   const ProfileSchedule& schedule,
                                                                   OnProfile on_profile);

}  // namespace feedrate
