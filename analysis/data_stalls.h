// SPDX-License-Identifier: Apache-2.0
// How much of a step goes to preparing data and how much to fetching it, from what the same cell
// reaches with a warm and with a cold page cache: a differential measurement, which needs no look
// into the loader. Pure functions of results; any thread.
//
// After DS-Analyzer (Mohan, Phanishayee, Raniwala, Chidambaram: Analyzing and Mitigating Data
// Stalls in DNN Training, PVLDB 14(5), 2021; its tool/harness.py names the three runs
// SPEED_INGESTION, SPEED_CACHED and SPEED_DISK). With the rates of the trainer fed from memory R_t,
// of the cell with all data cached R_w, and with none cached R_c, a sample takes
//
//   1/R_c = 1/R_t + (1/R_w - 1/R_t) + (1/R_c - 1/R_w)
//           training   prep stall        fetch stall
//
// Here each stall is the share of the time of the run that it was found by:
//
//   prep_stall  = (1/R_w - 1/R_t) / (1/R_w) = 1 - R_w / R_t
//   fetch_stall = (1/R_c - 1/R_w) / (1/R_c) = 1 - R_c / R_w
//
// R_t is trainer_limit: with the best copy of the run, where DS-Analyzer counts no copy at all.
#pragma once
#include "core/result.h"

namespace feedrate {

/// Gives ok cells with `cache` at warm or cold the metrics prep_stall and fetch_stall, as far as
/// their counterpart, which differs in nothing else, and trainer_limit are known; what they had of
/// these is replaced. None is below 0: a cell may beat its limit by noise. Mocks are left out.
void add_data_stalls(RunResult& run);

}  // namespace feedrate
