// SPDX-License-Identifier: Apache-2.0
#include "device/work.h"

namespace feedrate {

double flops_of(std::span<const Gemm> gemms) {
  double flops = 0;
  for (const Gemm& gemm : gemms) {
    flops += 2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
             static_cast<double>(gemm.k) * static_cast<double>(gemm.count);
  }
  return flops;
}

double bytes_of(const Gemm& gemm, Precision precision) {
  const auto m = static_cast<double>(gemm.m);
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  return (m * k + k * n) * static_cast<double>(bytes_of(precision)) +
         m * n * static_cast<double>(result_bytes_of(precision));
}

}  // namespace feedrate
