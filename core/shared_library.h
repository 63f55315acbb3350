// SPDX-License-Identifier: Apache-2.0
// Libraries that a machine may have or not, opened at run time: the program never needs one to
// start. A SharedLibrary has one owner; its symbols may be looked up from any thread.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// What to look for.
struct LibrarySearch {
  std::vector<std::string> names;    ///< sonames or paths, tried in this order
  std::string environment_variable;  ///< where it is set, it names the only file that is tried
  /// Where the loader finds none: folders as patterns of glob(7), in which the names are tried.
  std::vector<std::string> folders = {};
  /// And then: files, as patterns of glob(7).
  std::vector<std::string> files = {};
  /// Stays in the process for ever: for libraries that start threads or leave hooks behind.
  bool keep_loaded = false;
};

class SharedLibrary {
 public:
  /// Stands for none.
  SharedLibrary() = default;
  /// Opens `name` as dlopen() does. On failure *this is none and `problem` says why.
  SharedLibrary(const std::string& name, bool keep_loaded, std::string& problem);

  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// What it was opened by: "libcupti.so.13".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Null where it has no such symbol. REQUIRES: *this is not none
  [[nodiscard]] void* symbol(const char* symbol) const noexcept;

 private:
  struct Close {
    void operator()(void* handle) const noexcept;
  };
  std::string name_;
  std::unique_ptr<void, Close> handle_;
};

struct LibraryFound {
  SharedLibrary library = {};
  std::string problem = {};  ///< why there is none, and what to do about it; empty if there is
};

[[nodiscard]] LibraryFound find_library(const LibrarySearch& search);

/// The library, or DeviceError: `need` ("cuBLASLt, which … need"), what was tried, and `source`,
/// where it comes from.
[[nodiscard]] SharedLibrary require_library(const LibrarySearch& search, std::string_view need,
                                            std::string_view source);

/// Fills pointers with a library's functions and remembers what it lacks. The pointers live no
/// longer than the library.
class SymbolLoader {
 public:
  /// `library` outlives it.
  explicit SymbolLoader(const SharedLibrary& library) : library_(library) {}

  template <typename Function>
  void required(Function*& target, const char* symbol) {
    optional(target, symbol);
    if (target == nullptr) missing_.emplace_back(symbol);
  }
  /// `target` is null where the library has no such function.
  template <typename Function>
  void optional(Function*& target, const char* symbol) {
    target = reinterpret_cast<Function*>(library_.symbol(symbol));
  }
  /// "libx.so: lacks a, b: …"; empty if nothing required is missing.
  [[nodiscard]] std::string problem() const;

 private:
  const SharedLibrary& library_;
  std::vector<std::string> missing_;
};

}  // namespace feedrate
