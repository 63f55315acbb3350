#include "formats/mapping_guard.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {

/// A place in the list that the handler reads: never freed, used again. The handler takes no lock,
/// so each place says by its version whether it was read whole.
struct MappingGuard::Watch {
  Watch* next = nullptr;
  std::atomic<bool> taken{true};
  std::atomic<std::uint64_t> version{0};  ///< odd while the next two change
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};
  std::atomic<bool> damaged{false};

  void set(std::uintptr_t new_begin, std::size_t new_size) noexcept {
    version.fetch_add(1);
    begin.store(new_begin);
    size.store(new_size);
    version.fetch_add(1);
  }

  [[nodiscard]] bool holds(std::uintptr_t address) const noexcept {
    const std::uint64_t before = version.load();
    const std::uintptr_t first = begin.load();
    const std::size_t bytes = size.load();
    return before % 2 == 0 && version.load() == before && address - first < bytes;
  }
};

namespace {

using Watch = MappingGuard::Watch;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a handler takes no lock");

// A handler of signals reaches nothing but globals.
std::atomic<Watch*> watches{nullptr};
std::atomic<bool> is_installed{false};
std::uintptr_t guard_page_size = 0;
struct sigaction previous {};

bool put_zeros_at(std::uintptr_t address) noexcept {
  for (Watch* watch = watches.load(); watch != nullptr; watch = watch->next) {
    if (!watch->holds(address)) continue;
    // Before another thread can read the zeros.
    watch->damaged.store(true);
    void* const page = reinterpret_cast<void*>(address / guard_page_size * guard_page_size);
    return ::mmap(page, guard_page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                  0) != MAP_FAILED;
  }
  return false;
}

void pass_on(int number, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(number, info, context);
  const bool was_sent = info->si_code <= 0;
  if (previous.sa_handler == SIG_IGN && was_sent) return;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    return previous.sa_handler(number);
  }
  // As if nobody had a handler. The instruction that failed fails again; a signal that was sent
  // does not come again by itself.
  static_cast<void>(::signal(number, SIG_DFL));
  if (info->si_code != BUS_ADRERR) static_cast<void>(::raise(number));
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_mended =
      info->si_code == BUS_ADRERR && put_zeros_at(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = error;
  if (!is_mended) pass_on(number, info, context);
}

bool set_handler(struct sigaction* old) noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, old) == 0;
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    guard_page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    if (!set_handler(&previous)) throw SystemError("SIGBUS", "cannot be handled", errno);
    is_installed.store(true);
  });
}

Watch* take_free_watch() noexcept {
  for (Watch* watch = watches.load(); watch != nullptr; watch = watch->next) {
    if (!watch->taken.exchange(true)) return watch;
  }
  return nullptr;
}

Watch* take_watch() {
  if (Watch* const watch = take_free_watch()) return watch;
  auto* const watch = new Watch;
  watch->next = watches.load();
  while (!watches.compare_exchange_weak(watch->next, watch)) {
  }
  return watch;
}

}  // namespace

MappingGuard::MappingGuard(Bytes mapping) {
  install();
  watch_ = take_watch();
  watch_->damaged.store(false);
  watch_->set(reinterpret_cast<std::uintptr_t>(mapping.data()), mapping.size());
}

MappingGuard::~MappingGuard() {
  watch_->set(0, 0);
  watch_->taken.store(false);
}

bool MappingGuard::is_damaged() const noexcept {
  return watch_->damaged.load(std::memory_order_relaxed);
}

void MappingGuard::mark_damaged() const noexcept { watch_->damaged.store(true); }

void restore_mapping_guards() noexcept {
  if (!is_installed.load()) return;
  previous = {};  // SIG_DFL
  static_cast<void>(set_handler(nullptr));
}

}  // namespace feedrate
