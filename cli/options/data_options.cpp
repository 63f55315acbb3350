// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/data.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "formats/payload.h"
#include "formats/zarr/zarr_codecs.h"
#include "loaders/decode/transform.h"

namespace feedrate {
namespace {

std::vector<std::string> zarr_codec_names() {
  std::vector<std::string> names;
  for (const ZarrCompression& codec : kZarrCompressions) names.emplace_back(codec.name);
  return names;
}

template <typename Options>
void add_writer_options(CLI::App& command, std::string& format, Options& options) {
  command
      .add_option("--format", format,
                  "storage format; default: from the suffix of DST, else folder")
      ->type_name(kFormatValue);
  require_positive(command.add_option("--chunk", options.chunk,
                                      "hdf5-decoded and zarr: samples per chunk; default 1"));
  command.add_option("--codec", options.codec, "zarr: how chunks are compressed; default none")
      ->check(CLI::IsMember(zarr_codec_names()))
      ->type_name("CODEC");
  command
      .add_option("--zarr-format", options.zarr_format, "zarr: version of the format; default 3")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  require_positive(
      command
          .add_option("--shard-bytes", options.shard_bytes,
                      "tar and tfrecord in a folder: maximum size of a shard; default 1 GiB")
          ->transform(CLI::AsSizeValue(false).description(""))
          ->type_name("SIZE"),
      1e18);
}

void add_threads(CLI::App& command, unsigned& threads) {
  command.add_option("--threads", threads, "number of threads; default: one per usable CPU");
}

void add_data_make(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "make", "Make a synthetic dataset of images that compress like photographs, or of bytes.");
  const auto options = std::make_shared<DataMakeOptions>();
  command->add_option("dst", options->target, "new dataset; must not exist")->required();
  MakeOptions& make = options->make;
  add_writer_options(*command, options->format, make);
  command->add_option("--preset", make.preset,
                      "images: cifar10-like (default) or imagenet-like; other records, for formats "
                      "npz and tfrecord: bytes, tokens-like or points-like");
  require_positive(
      command->add_option("--count", make.count, "number of images or records; default 10000"));
  command->add_option("--seed", make.seed, "random seed; default 0");
  command->add_option("--size", options->size,
                      "image size, WxH, or N for N×N; default: sizes of the preset");
  command->add_option("--encoding", options->encoding, "png or jpeg; default: from the preset");
  command->add_option("--quality", make.quality,
                      "JPEG quality, 1 to 100; default: from the preset");
  command->add_option("--classes", make.classes, "number of classes; default: from the preset");
  command->add_option("--record-bytes", make.record_bytes,
                      "preset bytes: mean record size; default 65536");
  command->add_option("--record-bytes-stdev", make.record_bytes_stdev,
                      "preset bytes: standard deviation of the record size; default 0");
  add_threads(*command, options->threads);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_make(*options, console); }); });
}

void add_data_convert(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "convert", "Convert a dataset, or your own folder of images, to another format.");
  const auto options = std::make_shared<DataConvertOptions>();
  command->add_option("src", options->source, "a dataset of any format")->required();
  command->add_option("dst", options->target, "new dataset; must not exist")->required();
  ConvertOptions& convert = options->convert;
  add_writer_options(*command, convert.format, convert);
  command->footer(
      "Also to lance, mds and parquet, by their packages in the Python that has torch.");
  command->add_flag("--strict", convert.strict,
                    "fail if a record cannot be decoded; by default it is reported and skipped");
  constexpr auto kMostPoints = static_cast<double>(kMaxRecordBytes / kPointBytes);
  require_positive(
      command->add_option(
          "--sample-points", convert.sample_points,
          "point clouds: number of points to keep of each, drawn at random; default: all"),
      kMostPoints);
  command->add_flag("!--no-decode-check", convert.decode_check,
                    "do not check that encoded images can be decoded");
  add_threads(*command, options->threads);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_convert(*options, console); }); });
}

void add_data_info(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand("info", "Describe a dataset.");
  const auto options = std::make_shared<DataInfoOptions>();
  command->add_option("path", options->path, "a dataset of any format")->required();
  require_positive(
      command->add_option("--sample", options->sample, "records to inspect; default 1000"));
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_info(*options, console); }); });
}

void add_data_verify(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "verify", "Check that two datasets hold identical bytes or pixels, record by record.");
  const auto options = std::make_shared<DataVerifyOptions>();
  command->add_option("a", options->a, "a dataset of any format")->required();
  command->add_option("b", options->b, "another dataset")->required();
  add_threads(*command, options->threads);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_verify(*options, console); }); });
}

}  // namespace

void add_data(CLI::App& app, const Chosen& chosen) {
  CLI::App* data = app.add_subcommand("data", "Make, convert, inspect and verify datasets.");
  data->require_subcommand(1);
  data->footer(fmt::format("Formats: {}", format_names()));
  add_data_make(*data, chosen);
  add_data_convert(*data, chosen);
  add_data_info(*data, chosen);
  add_data_verify(*data, chosen);
}

}  // namespace feedrate
