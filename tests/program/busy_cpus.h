// SPDX-License-Identifier: Apache-2.0
// Simulates another program: keeps all CPUs busy while it lives.
#pragma once
#include <stop_token>
#include <thread>
#include <vector>

namespace feedrate::testing {

class BusyCpus {
 public:
  BusyCpus() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) continue;
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace feedrate::testing
