#include "bench/engines/torch/python_package.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path make_private_folder() {
  std::string name = (fs::temp_directory_path() / "feedrate-torch-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw SystemError(name, "cannot be made for the PyTorch engine", errno);
  }
  return name;
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw SystemError(path.string(), "cannot be written", errno);
}

void remove_folder(const fs::path& folder) noexcept {
  std::error_code error;
  fs::remove_all(folder, error);
}

}  // namespace

PythonPackage::PythonPackage() : folder_(make_private_folder()) {
  try {
    for (const PythonFile& file : python_files()) write_file(folder_ / file.path, file.text);
  } catch (...) {
    remove_folder(folder_);
    throw;
  }
}

PythonPackage::~PythonPackage() { remove_folder(folder_); }

}  // namespace feedrate
