// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/python_package.h"

#include <cerrno>
#include <fstream>

#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw SystemError(path.string(), "cannot be written", errno);
}

}  // namespace

PythonPackage::PythonPackage() : folder_(temporary_root() / "fr-") {
  for (const PythonFile& file : python_files()) write_file(folder_.path() / file.path, file.text);
  for (const PythonFile& file : burn_file()) {
    write_file(folder_.path() / "feedrate" / file.path, file.text);
  }
}

}  // namespace feedrate
