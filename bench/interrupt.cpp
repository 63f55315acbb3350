#include "bench/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "bench/console.h"

namespace feedrate {
namespace {

// SIGUSR1 from our own destructor ends the listener, too.
sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A write to a file beyond the size limit, or to a closed pipe, is an error to report, not the
  // end.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  listener_ = std::jthread([this, signals](const std::stop_token& done) {
    for (;;) {
      int received = 0;
      sigwait(&signals, &received);
      if (done.stop_requested()) return;
      int none = 0;
      first_.compare_exchange_strong(none, received);
      if (!source_.request_stop()) _exit(exit_code());
    }
  });
}

Interrupt::~Interrupt() {
  listener_.request_stop();
  pthread_kill(listener_.native_handle(), SIGUSR1);
}

int Interrupt::exit_code() const noexcept {
  return first_ == SIGUSR1 ? kExitTryAgain : kExitInterrupted;
}

}  // namespace feedrate
