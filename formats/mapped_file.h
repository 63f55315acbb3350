// Files whose bytes are read where they lie in the page cache. A file must not become shorter
// meanwhile; if it does, that is a FormatError, not the end of the process (mapping_guard.h). Const
// methods may be called from any thread, and in forked processes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/units.h"
#include "formats/file.h"
#include "formats/mapping_guard.h"
#include "formats/read_options.h"

namespace feedrate {

/// The bytes of a file that somebody else has mapped, and unmaps after this.
class WatchedMapping {
 public:
  /// `fd` is the file's, and borrowed.
  WatchedMapping(Bytes mapped, int fd, std::string path, const ReadOptions& options);

  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
  /// From now on the file's length is not looked at.
  void forget_descriptor() noexcept { fd_ = -1; }

  /// Brings `part` of bytes() into memory, page by page, so that its time is that of reading and
  /// its failures are found. Throws FormatError, now and ever after, once a page was missed.
  void bring_in(Bytes part, std::optional<std::uint64_t> record) const;

  /// Asks storage for all pages of `part` at once, and does not wait. Advice: what it does not
  /// bring, bring_in() does.
  void ask_for(Bytes part) const noexcept;

  /// The last page of a file that was cut ends in zeros, which no page is missed for: this asks for
  /// the file's length. Throws FormatError, now and at each bring_in(), if it became shorter.
  void check_length(std::optional<std::uint64_t> record) const;

 private:
  [[nodiscard]] std::optional<std::uint64_t> length_now() const noexcept;
  [[noreturn]] void fail(std::optional<std::uint64_t> record) const;

  Bytes bytes_;
  int fd_;
  std::string path_;
  bool asks_;  // For the pages of each record, which nobody has asked for before.
  MappingGuard guard_;
};

/// Says when check_length() is due again: it costs a system call, so not for every record. One for
/// all files of a cursor, so that of many files each is looked at rarely. Used by one thread.
class LengthCheck {
 public:
  [[nodiscard]] bool is_due() noexcept { return reads_++ % kEvery == 0; }

 private:
  static constexpr unsigned kEvery = 64;
  unsigned reads_ = 0;
};

/// A file that is mapped as long as this lives.
class MappedFile {
 public:
  /// `file` lives as long, or until forget_descriptor(). Throws SystemError if the system refuses.
  MappedFile(const OpenFile& file, const std::string& path, const ReadOptions& options);

  [[nodiscard]] const WatchedMapping& mapping() const noexcept { return mapping_; }
  void forget_descriptor() noexcept { mapping_.forget_descriptor(); }

 private:
  /// Unmaps; a member of its own, because the mapping is watched until it goes.
  class Memory {
   public:
    Memory(const OpenFile& file, const std::string& path, ReadOrder order);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();
    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

   private:
    Bytes bytes_;
  };

  Memory memory_;
  WatchedMapping mapping_;
};

}  // namespace feedrate
