#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/data_convert.h"
#include "cli/commands/data_info.h"
#include "cli/commands/data_make.h"
#include "cli/commands/data_verify.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "decode/transform.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

// What the formats' writers take.
template <typename Options>
void add_writer_options(CLI::App& command, Options& options) {
  command
      .add_option("--format", options.format,
                  "storage format; default: told by the suffix of DST, else folder")
      ->type_name(kFormatValue);
  require_positive(
      command.add_option("--chunk", options.chunk, "hdf5-decoded: samples a chunk; default 1"));
  require_positive(
      command
          .add_option(
              "--shard-bytes", options.shard_bytes,
              "tar and tfrecord into a folder: begin a new shard beyond this; default 1 GiB")
          ->transform(CLI::AsSizeValue(false).description(""))
          ->type_name("SIZE"),
      1e18);
}

template <typename Options>
void add_threads(CLI::App& command, Options& options) {
  command.add_option("--threads", options.threads, "default: one for each usable CPU");
}

void add_data_make(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "make",
      "Make a dataset of seeded synthetic images that compress as photographs do, or of bytes.");
  const auto options = std::make_shared<DataMakeOptions>();
  command->add_option("dst", options->target, "the new dataset; must not exist")->required();
  add_writer_options(*command, *options);
  command->add_option(
      "--preset", options->preset,
      "what it resembles: cifar10-like (the default) or imagenet-like; or, for formats "
      "npz and tfrecord, records that are no images: bytes, tokens-like or "
      "points-like");
  require_positive(command->add_option("--count", options->count, "images; default 10000"));
  command->add_option("--seed", options->seed, "other seeds give other images; default 0");
  command->add_option("--size", options->size, "WxH, or N for N×N; default: the preset's sizes");
  command->add_option("--encoding", options->encoding, "png or jpeg; default: the preset's");
  command->add_option("--quality", options->quality, "of JPEG, 1 to 100; default: the preset's");
  command->add_option("--classes", options->classes, "default: the preset's");
  command->add_option("--record-bytes", options->record_bytes,
                      "of preset bytes: the mean of the records' sizes; default 65536");
  command->add_option("--record-bytes-stdev", options->record_bytes_stdev,
                      "of preset bytes: the standard deviation of their sizes; default 0");
  add_threads(*command, *options);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_make(*options, console); }); });
}

void add_data_convert(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "convert", "Write a dataset anew in another format: your own folder of images, too.");
  const auto options = std::make_shared<DataConvertOptions>();
  command->add_option("src", options->source, "a dataset of any format")->required();
  command->add_option("dst", options->target, "the new dataset; must not exist")->required();
  add_writer_options(*command, *options);
  command->add_flag("--strict", options->strict,
                    "a record that cannot be decoded is an error; otherwise it is named and left "
                    "out");
  constexpr auto kMostPoints = static_cast<double>(kMaxRecordBytes / kPointBytes);
  require_positive(
      command->add_option("--sample-points", options->sample_points,
                          "clouds of points: keep this many points of each, drawn at random"),
      kMostPoints);
  command->add_flag("!--no-decode-check", options->decode_check,
                    "copy encoded images without decoding each once");
  add_threads(*command, *options);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_convert(*options, console); }); });
}

void add_data_info(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand("info", "Say what a dataset is.");
  const auto options = std::make_shared<DataInfoOptions>();
  command->add_option("path", options->path, "a dataset of any format")->required();
  require_positive(
      command->add_option("--sample", options->sample, "records looked at; default 1000"));
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_info(*options, console); }); });
}

void add_data_verify(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "verify", "Prove that two datasets deliver identical bytes or pixels, record by record.");
  const auto options = std::make_shared<DataVerifyOptions>();
  command->add_option("a", options->a, "a dataset of any format")->required();
  command->add_option("b", options->b, "another one")->required();
  add_threads(*command, *options);
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
