// SPDX-License-Identifier: Apache-2.0
#include "training/inherited_signals.h"

#include <cstddef>

namespace feedrate {
namespace {

constexpr std::array kOwnSignals{SIGCHLD, SIGPIPE, SIGXFSZ};

}  // namespace

InheritedSignals::InheritedSignals() {
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
  ::sigdelset(&mask_, SIGCONT);  // hold_continue_signals() has blocked it.
  for (std::size_t i = 0; i < kOwnSignals.size(); ++i) {
    struct sigaction own {};
    own.sa_handler = kOwnSignals[i] == SIGCHLD ? SIG_DFL : SIG_IGN;
    ::sigaction(kOwnSignals[i], &own, &saved_[i]);
  }
}

void InheritedSignals::restore() const noexcept {
  for (std::size_t i = 0; i < kOwnSignals.size(); ++i) {
    ::sigaction(kOwnSignals[i], &saved_[i], nullptr);
  }
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace feedrate
