// The dataset of stored records: read, decode, transform, collate.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "decode/sample_pipeline.h"
#include "formats/record_reader.h"
#include "loaders/dataset.h"

namespace feedrate {

/// Called for each damaged record, from any worker; if set, its sample is zeros instead of an
/// error.
using OnDamaged = std::function<void(const std::string& message)>;

/// Every sample has the shape that the first record gives. Reads that record's header.
[[nodiscard]] std::unique_ptr<Dataset> make_record_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec pipeline, std::uint64_t seed,
    OnDamaged on_damaged = nullptr);

}  // namespace feedrate
