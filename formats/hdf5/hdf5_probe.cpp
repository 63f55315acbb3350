#include "formats/hdf5/hdf5_probe.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include <hdf5.h>

#include "core/error.h"
#include "formats/file.h"

#if !H5_VERSION_GE(1, 12, 3)

namespace feedrate {
namespace {

/// Travels to the driver in the file's access properties.
struct ProbeOptions {
  RawRead* last;
};

/// HDF5 knows it by its first member.
struct ProbeFile {
  H5FD_t common;
  OpenFile file;
  haddr_t end_of_allocation;
  RawRead* last;
};

ProbeFile& probe(H5FD_t* file) { return *reinterpret_cast<ProbeFile*>(file); }
const ProbeFile& probe(const H5FD_t* file) { return *reinterpret_cast<const ProbeFile*>(file); }

// None of these may throw: C calls them.
H5FD_t* open_probe(const char* name, unsigned /*flags*/, hid_t access, haddr_t /*most*/) noexcept {
  const auto* options = static_cast<const ProbeOptions*>(H5Pget_driver_info(access));
  if (options == nullptr) return nullptr;
  try {
    auto opened = std::make_unique<ProbeFile>();
    opened->file = open_regular_file(name);
    opened->last = options->last;
    return &opened.release()->common;
  } catch (const std::exception&) {
    return nullptr;
  }
}

herr_t close_probe(H5FD_t* file) noexcept {
  const std::unique_ptr<ProbeFile> closed(&probe(file));
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) noexcept {
  return probe(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) noexcept {
  probe(file).end_of_allocation = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) noexcept {
  return probe(file).file.size;
}

herr_t read_probe(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address,
                  std::size_t size, void* buffer) noexcept {
  const ProbeFile& opened = probe(file);
  if (type == H5FD_MEM_DRAW) {
    *opened.last = {address, size};
    return 0;
  }
  try {
    const MutableBytes bytes(static_cast<std::byte*>(buffer), size);
    const std::size_t count = read_at(opened.file.fd.get(), bytes, address, "");
    // Behind the end are zeros, as with HDF5's own driver.
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(count), bytes.end(), std::byte{0});
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

herr_t refuse_to_write(H5FD_t* /*file*/, H5FD_mem_t /*type*/, hid_t /*transfer*/,
                       haddr_t /*address*/, std::size_t /*size*/, const void* /*buffer*/) noexcept {
  return -1;
}

Hdf5Handle register_driver() {
  H5FD_class_t driver{};
  driver.name = "feedrate_probe";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(ProbeOptions);
  driver.open = open_probe;
  driver.close = close_probe;
  driver.get_eoa = end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = end_of_file;
  driver.read = read_probe;
  driver.write = refuse_to_write;
  return {H5FDregister(&driver), H5FDunregister};
}

}  // namespace

Hdf5Probe::Hdf5Probe(const std::string& path, RawRead& last) : driver_(register_driver()) {
  const DataLocation location{.file = path};
  check_hdf5_read(driver_.get(), location, "cannot register a driver");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_hdf5_read(access.get(), location, "cannot open");
  const ProbeOptions options{&last};
  check_hdf5_read(H5Pset_driver(access.get(), driver_.get(), &options), location, "cannot open");
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  check_hdf5_read(file_.get(), location, "cannot open as HDF5");
}

}  // namespace feedrate

#endif
