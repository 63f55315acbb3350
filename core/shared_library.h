// SPDX-License-Identifier: Apache-2.0
// Optional libraries, opened at run time: the program starts without them. A SharedLibrary has one
// owner; its symbols may be looked up from any thread.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace feedrate {

struct LibrarySearch {
  std::vector<std::string> names;    ///< sonames or paths, tried in this order
  std::string environment_variable;  ///< if set, only the file that it names is tried
  /// Patterns of glob(7) of folders in which the names are tried if the loader finds none.
  std::vector<std::string> folders = {};
  /// Patterns of glob(7) of files, tried last.
  std::vector<std::string> files = {};
  /// Never unloaded: for libraries that start threads or leave hooks behind.
  bool keep_loaded = false;
};

class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// Opens `name` as dlopen() does. On failure the handle is empty and `problem` says why.
  SharedLibrary(const std::string& name, bool keep_loaded, std::string& problem);

  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// The name that was opened: "libcupti.so.13".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Null if there is no such symbol. REQUIRES: a non-empty handle
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
  std::string problem = {};  ///< why there is none and what to do; empty on success
};

[[nodiscard]] LibraryFound find_library(const LibrarySearch& search);

/// Fills function pointers from a library and records missing symbols. The pointers are valid as
/// long as the library.
class SymbolLoader {
 public:
  /// `library` must outlive it.
  explicit SymbolLoader(const SharedLibrary& library) : library_(library) {}

  template <typename Function>
  void required(Function*& target, const char* symbol) {
    optional(target, symbol);
    if (target == nullptr) missing_.emplace_back(symbol);
  }
  /// `target` is null if there is no such function.
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

/// A library with its functions, whose pointers `Api` holds.
template <class Api>
struct LoadedApi {
  SharedLibrary file;
  Api api{};
  std::string problem;  ///< why the functions cannot be called, and what to do; empty if they can
};

/// `fill(loader, api)` looks up the functions.
template <class Api>
[[nodiscard]] LoadedApi<Api> load_api(const LibrarySearch& search,
                                      void (&fill)(SymbolLoader&, Api&)) {
  LibraryFound found = find_library(search);
  LoadedApi<Api> loaded{std::move(found.library), {}, std::move(found.problem)};
  if (!loaded.file) return loaded;
  SymbolLoader loader(loaded.file);
  fill(loader, loaded.api);
  loaded.problem = loader.problem();
  return loaded;
}

/// Throws DeviceError if the functions cannot be called; of a library that was not found with
/// `need` ("cuBLASLt, which … need"), what was tried, and `source`, where to get it.
template <class Api>
[[nodiscard]] LoadedApi<Api> require_api(const LibrarySearch& search, const std::string& need,
                                         const std::string& source,
                                         void (&fill)(SymbolLoader&, Api&)) {
  LoadedApi<Api> loaded = load_api<Api>(search, fill);
  if (!loaded.file) throw DeviceError(need + ": " + loaded.problem + "; " + source);
  if (!loaded.problem.empty()) throw DeviceError(loaded.problem);
  return loaded;
}

}  // namespace feedrate
