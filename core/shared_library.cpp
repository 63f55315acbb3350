// SPDX-License-Identifier: Apache-2.0
#include "core/shared_library.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

namespace feedrate {
namespace {

// False if the file exists but does not load, or lacks a dependency.
bool is_absent(std::string_view name, std::string_view problem) {
  return problem.starts_with(name) &&
         problem.substr(name.size()).starts_with(": cannot open shared object file: No such file");
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

std::vector<std::string> patterns_of(const LibrarySearch& search) {
  std::vector<std::string> patterns;
  for (const std::string& folder : search.folders) {
    for (const std::string& name : search.names) {
      patterns.push_back(fmt::format("{}/{}", folder, name));
    }
  }
  patterns.insert(patterns.end(), search.files.begin(), search.files.end());
  return patterns;
}

LibraryFound open_named(const LibrarySearch& search, const std::string& path) {
  LibraryFound found;
  found.library = SharedLibrary(path, search.keep_loaded, found.problem);
  if (!found.library) {
    found.problem = fmt::format("{}={}: cannot be loaded: {}; set it to another file, or unset it",
                                search.environment_variable, path, found.problem);
  }
  return found;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& name, bool keep_loaded, std::string& problem)
    : name_(name),
      handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (keep_loaded ? RTLD_NODELETE : 0))) {
  if (handle_) return;
  const char* reason = ::dlerror();
  problem = reason ? reason : "no reason reported";
}

void* SharedLibrary::symbol(const char* symbol) const noexcept {
  return ::dlsym(handle_.get(), symbol);
}

void SharedLibrary::Close::operator()(void* handle) const noexcept { ::dlclose(handle); }

LibraryFound find_library(const LibrarySearch& search) {
  const char* named = std::getenv(search.environment_variable.c_str());
  if (named && *named) return open_named(search, named);
  std::string broken;  // the first library that exists but does not load explains more
  const auto open = [&](const std::string& name) {
    LibraryFound found;
    found.library = SharedLibrary(name, search.keep_loaded, found.problem);
    if (!found.library && broken.empty() && !is_absent(name, found.problem)) {
      broken = fmt::format("{}: cannot be loaded: {}", name, found.problem);
    }
    return found;
  };
  for (const std::string& name : search.names) {
    if (LibraryFound found = open(name); found.library) return found;
  }
  for (const std::string& pattern : patterns_of(search)) {
    for (const std::string& file : matches(pattern)) {
      if (LibraryFound found = open(file); found.library) return found;
    }
  }
  if (!broken.empty()) return {.problem = std::move(broken)};
  return {.problem = fmt::format("{}: not found in the library path; set {} to its location",
                                 fmt::join(search.names, ", "), search.environment_variable)};
}

std::string SymbolLoader::problem() const {
  if (missing_.empty()) return "";
  return fmt::format("{}: lacks {}; it is too old, or a different library", library_.name(),
                     fmt::join(missing_, ", "));
}

}  // namespace feedrate
