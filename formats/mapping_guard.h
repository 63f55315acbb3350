// A page of a mapped file that its file no longer has (it was cut, or its storage fails) ends the
// process with SIGBUS. Here it does not: a page of zeros takes its place, the mapping is marked as
// damaged, and whoever reads from it looks at the mark. What lies in no guarded mapping is left to
// the handler that was there before. Any thread, and forked processes; the reasons are in
// docs/adr/0015-mapped-files.md.
#pragma once
#include "core/units.h"

namespace feedrate {

/// Guards a mapping from here to its destructor. Does not own it.
class MappingGuard {
 public:
  /// Installs the handler of SIGBUS if this is the first.
  explicit MappingGuard(Bytes mapping);
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  /// Whether a page of zeros took the place of one in this process, or mark_damaged() was called.
  [[nodiscard]] bool is_damaged() const noexcept;
  void mark_damaged() const noexcept;

  struct Watch;

 private:
  Watch* watch_;
};

/// For a process that has reset its signal handlers: the guards that it was forked with work again.
void restore_mapping_guards() noexcept;

}  // namespace feedrate
