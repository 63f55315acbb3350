// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/advice.h"

#include <utility>

#include "analysis/profile/rules.h"

namespace feedrate {

std::vector<Advice> advise(const AdviceInput& input) {
  std::vector<Advice> given;
  for (const auto& rule :
       {advise_data_loading, advise_data_parallel, advise_nccl, advise_communication,
        advise_utilization, advise_mixed_precision, advise_device_memory, advise_synchronization,
        advise_host_bound, advise_pageable_copies, advise_blocking_copies, advise_copy_overlap,
        advise_prefetch, advise_start_up, advise_host_memory}) {
    if (std::optional<Advice> advice = rule(input)) given.push_back(std::move(*advice));
  }
  return given;
}

}  // namespace feedrate
