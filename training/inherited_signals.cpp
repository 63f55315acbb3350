// SPDX-License-Identifier: Apache-2.0
#include "training/inherited_signals.h"

#include <cstddef>

namespace feedrate {
namespace {

struct Own {
  int signal;
  bool is_ignored;
};

constexpr std::array<Own, 3> kOwn{{{SIGCHLD, false}, {SIGPIPE, true}, {SIGXFSZ, true}}};

}  // namespace

InheritedSignals::InheritedSignals() {
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
  ::sigdelset(&mask_, SIGCONT);  // hold_continue_signals() has blocked it.
  for (std::size_t i = 0; i < kOwn.size(); ++i) {
    struct sigaction own {};
    own.sa_handler = kOwn[i].is_ignored ? SIG_IGN : SIG_DFL;
    saved_[i].signal = kOwn[i].signal;
    ::sigaction(kOwn[i].signal, &own, &saved_[i].action);
  }
}

void InheritedSignals::restore() const noexcept {
  for (const Saved& saved : saved_) ::sigaction(saved.signal, &saved.action, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace feedrate
