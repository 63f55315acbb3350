// Finds out where the images of an HDF5 file lie, and whether they can be read there.
#pragma once
#include <optional>
#include <string>

#include "formats/hdf5/hdf5_contents.h"
#include "formats/hdf5/hdf5_elements.h"

namespace feedrate {

/// Of pixels an element is an image, of encoded images a reference (hdf5_heap.h). Empty where only
/// HDF5 knows how to read them: chunks that divide an image or were never written, filters other
/// than gzip and LZ4, virtual, compact and external data, user blocks, types that are to be
/// converted. Throws FormatError if the images cannot be opened.
[[nodiscard]] std::optional<Hdf5Places> find_hdf5_places(const std::string& path,
                                                         const Hdf5Contents& contents);

}  // namespace feedrate
