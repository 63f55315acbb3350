// SPDX-License-Identifier: Apache-2.0
// The shares of a step spent preparing and fetching data, by comparing the rates of a cell with a
// warm and with a cold page cache. Pure functions of results; any thread.
//
// Source: DS-Analyzer (Mohan, Phanishayee, Raniwala, Chidambaram: Analyzing and Mitigating Data
// Stalls in DNN Training, PVLDB 14(5), 2021; its tool/harness.py names the three runs
// SPEED_INGESTION, SPEED_CACHED and SPEED_DISK). With the rates of the trainer fed from memory R_t,
// of the cell with all data cached R_w, and with none cached R_c, a sample takes
//
//   1/R_c = 1/R_t + (1/R_w - 1/R_t) + (1/R_c - 1/R_w)
//           training   prep stall        fetch stall
//
// Here each stall is a share of the step time of the slower of its two runs:
//
//   prep_stall  = (1/R_w - 1/R_t) / (1/R_w) = 1 - R_w / R_t
//   fetch_stall = (1/R_c - 1/R_w) / (1/R_c) = 1 - R_c / R_w
//
// R_t is trainer_limit, which includes the best copy of the run; DS-Analyzer counts no copy.
#pragma once
#include "core/result.h"

namespace feedrate {

/// Sets the metrics prep_stall and fetch_stall of ok cells with `cache` at warm or cold, if the
/// cell that differs in `cache` alone and trainer_limit are known; removes old values. None is
/// below 0: a cell may exceed its limit by noise. Limits get none.
void add_data_stalls(RunResult& run);

}  // namespace feedrate
