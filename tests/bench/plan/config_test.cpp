// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/config.h"

#include <algorithm>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

constexpr const char* kSmall = "# Does it work?\ndataset: {path: data/x}\n";

const Axis& axis(const SweepConfig& config, const std::string& name) {
  return *std::find_if(config.axes.begin(), config.axes.end(),
                       [&](const Axis& candidate) { return candidate.name == name; });
}

void expect_error(const std::string& text, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(parse_config(text, "s.yaml")); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

TEST(SweepConfig, begins_with_its_question) {
  const SweepConfig config = parse_config(kSmall, "dir/s.yaml");
  EXPECT_EQ(config.question, "Does it work?");
  EXPECT_EQ(config.name, "s");
  EXPECT_EQ(config.dataset.path, "data/x");
}

TEST(SweepConfig, has_pytorchs_defaults) {
  const SweepConfig config = parse_config(kSmall, "s.yaml");
  EXPECT_THAT(axis(config, "num_workers").values, ElementsAre(SettingValue(std::int64_t{0})));
  EXPECT_THAT(axis(config, "prefetch_factor").values, ElementsAre(SettingValue(std::int64_t{2})));
  EXPECT_THAT(axis(config, "pin_memory").values, ElementsAre(SettingValue(false)));
  EXPECT_THAT(axis(config, "in_order").values, ElementsAre(SettingValue(true)));
  EXPECT_THAT(axis(config, "format").values, ElementsAre(SettingValue(std::string())));
}

TEST(SweepConfig, takes_lists_as_axes) {
  const SweepConfig config = parse_config(
      std::string(kSmall) + "loader: {num_workers: [0, 2, 4]}\ndevice: {name: 'sim:a100-pcie4'}\n",
      "s.yaml");
  EXPECT_THAT(axis(config, "num_workers").values,
              ElementsAre(SettingValue(std::int64_t{0}), SettingValue(std::int64_t{2}),
                          SettingValue(std::int64_t{4})));
  EXPECT_THAT(axis(config, "device").values,
              ElementsAre(SettingValue(std::string("sim:a100-pcie4"))));
}

TEST(SweepConfig, watches_the_machine_unless_told_not_to) {
  EXPECT_TRUE(parse_config(kSmall, "s.yaml").measure.monitor);
  EXPECT_FALSE(
      parse_config("dataset: {path: x}\nmeasure: {monitor: false}\n", "s.yaml").measure.monitor);
}

TEST(SweepConfig, names_file_line_key_and_cure) {
  expect_error("dataset: {path: x}\nloder: {}\n",
               "s.yaml:2: loder: unknown key; did you mean loader?");
  expect_error("dataset: {path: x}\nloader:\n  num_worker: 2\n",
               "s.yaml:3: loader.num_worker: unknown key; did you mean num_workers?");
  expect_error("dataset: {path: x}\nloader: {num_workers: four}\n",
               "s.yaml:2: loader.num_workers: 'four' is not a whole number");
  expect_error("dataset: {path: x}\nloader: {num_workers: [0, -1]}\n",
               "s.yaml:2: loader.num_workers: -1 is out of range; must be between 0 and 4096");
  expect_error("dataset: {path: x}\nloader: {pin_memory: yes please}\n",
               "loader.pin_memory: 'yes please' is not true or false");
  expect_error("dataset: {path: x}\nloader: {num_workers: []}\n", "is an empty list");
  expect_error("dataset: {path: x}\nloader: {num_workers: [1, 1]}\n", "1 is listed twice");
  expect_error("dataset: {path: x, format: rar}\n", "s.yaml:1: dataset.format: ");
  expect_error("dataset: {path: x}\ndevice: {name: tpu}\n", "s.yaml:2: device.name: ");
  expect_error("dataset: {path: x}\nmeasure: {steps: 0}\n", "measure.steps: 0 is out of range");
  expect_error("dataset: {format: tar}\n", "s.yaml: dataset.path: is missing");
  expect_error("dataset: {path: x, make: {preset: cifar10-like}}\n", "needs preset and count");
  expect_error("dataset: {path: 's3://b/x', make: {preset: cifar10-like, count: 9}}\n",
               "dataset.make: cannot be made on a server");
  expect_error("dataset: {path: x, make: {preset: cifar10-like, count: 9, size: 0}}\n",
               "dataset.make.size");
  expect_error("dataset: {path: x, make: {preset: cifar10-like, count: 9, encoding: gif}}\n",
               "dataset.make.encoding: 'gif' is not one of png, jpeg");
}

TEST(ParseAxes, begins_another_knob_where_its_name_stands) {
  const std::vector<Axis> axes = parse_axes("format=lmdb,tar,num_workers=0,2");
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].name, "format");
  EXPECT_EQ(axes[0].values.size(), 2U);
  EXPECT_EQ(axes[1].name, "num_workers");
  EXPECT_EQ(axes[1].values.back(), SettingValue(std::int64_t{2}));
  EXPECT_EQ(parse_axes("emulate=a=b.yaml").at(0).values.size(), 1U);
  EXPECT_THROW(static_cast<void>(parse_axes("format=lmdb,num_worker=2")), ConfigError);
}

TEST(SweepConfig, knows_what_the_file_and_the_command_line_set) {
  SweepConfig config = parse_config("dataset: {path: x}\nloader: {num_workers: 2}\n", "s.yaml");
  override_axis(config, parse_axis("pin_memory=true"));
  EXPECT_EQ(config.set, (std::set<std::string>{"num_workers", "pin_memory"}));
}

TEST(SweepConfig, leaves_engine_auto_open) {
  SweepConfig config = parse_config("dataset: {path: x}\nengine: auto\n", "s.yaml");
  EXPECT_FALSE(config.set.contains("engine"));
  override_axis(config, parse_axis("engine=torch"));
  EXPECT_TRUE(config.set.contains("engine"));
  override_axis(config, parse_axis("engine=auto"));
  EXPECT_FALSE(config.set.contains("engine"));
  EXPECT_THROW(override_axis(config, parse_axis("engine=auto,native")), ConfigError);
}

TEST(ParseAxis, takes_a_name_and_values) {
  const Axis parsed = parse_axis("num_workers=0,2");
  EXPECT_EQ(parsed.name, "num_workers");
  EXPECT_THAT(parsed.values,
              ElementsAre(SettingValue(std::int64_t{0}), SettingValue(std::int64_t{2})));
}

TEST(ParseAxis, refuses_what_is_not_an_axis) {
  const auto refuses = [](const char* text, const char* message) {
    EXPECT_THAT([&] { static_cast<void>(parse_axis(text)); },
                ThrowsMessage<ConfigError>(HasSubstr(message)));
  };
  refuses("num_workers", "must be NAME=VALUE");
  refuses("workers=1", "workers: unknown knob; did you mean num_workers?");
  refuses("num_workers=", "'' is not a whole number");
}

TEST(Config, says_what_images_to_make) {
  const SweepConfig config = parse_config(
      "dataset: {path: x, make: {preset: imagenet-like, count: 9, size: 64, encoding: png}}\n",
      "s.yaml");
  ASSERT_TRUE(config.dataset.make);
  EXPECT_EQ(config.dataset.make->preset, "imagenet-like");
  EXPECT_EQ(config.dataset.make->count, 9U);
  EXPECT_EQ(config.dataset.make->size, (ImageSize{64, 64}));
  EXPECT_EQ(config.dataset.make->encoding, ImageEncoding::kPng);
}

TEST(Config, says_what_records_of_bytes_to_make) {
  const SweepConfig config = parse_config(
      "dataset: {path: x, make: {preset: bytes, count: 9, format: npz, record_bytes: 1000, "
      "record_bytes_stdev: 100, shard_bytes: 5000}}\n",
      "s.yaml");
  ASSERT_TRUE(config.dataset.make);
  EXPECT_EQ(config.dataset.make->record_bytes, 1000U);
  EXPECT_EQ(config.dataset.make->record_bytes_stdev, 100U);
  EXPECT_EQ(config.dataset.make->shard_bytes, 5000U);
  EXPECT_EQ(config.dataset.make_format, "npz");
  expect_error("dataset: {path: x, make: {preset: bytes, count: 9, format: rar}}\n",
               "dataset.make.format: ");
  expect_error("dataset: {path: x, make: {preset: bytes, count: 9, size: 32}}\n",
               "s.yaml:1: dataset.make: --preset bytes: does not make images");
  expect_error("dataset: {path: x, make: {preset: cifar10-like, count: 9, record_bytes: 5}}\n",
               "makes images; must be --preset bytes");
}

TEST(Config, takes_a_threshold_of_au) {
  EXPECT_FALSE(parse_config(kSmall, "s.yaml").measure.au_threshold);
  const SweepConfig config =
      parse_config(std::string(kSmall) + "measure: {au_threshold: 0.9}\n", "s.yaml");
  EXPECT_EQ(config.measure.au_threshold, 0.9);
  expect_error("dataset: {path: x}\nmeasure: {au_threshold: 90}\n",
               "measure.au_threshold: 90 is out of range");
}

std::vector<std::string> values_of(const std::string& trainer, const std::string& knob) {
  const SweepConfig config =
      parse_config("dataset: {path: x}\ntrainer: " + trainer + "\n", "s.yaml");
  if (knob.empty()) return {};
  std::vector<std::string> texts;
  for (const SettingValue& value : axis(config, knob).values) texts.push_back(to_string(value));
  return texts;
}

TEST(SweepConfig, takes_a_list_of_steps_or_of_products_as_one_value) {
  using ::testing::ElementsAre;
  EXPECT_THAT(values_of("{kind: trace, steps_ms: [25.1, 24.9]}", "steps_ms"),
              ElementsAre("25.1 24.9"));
  EXPECT_THAT(values_of("{kind: trace, steps_ms: 25.1}", "steps_ms"), ElementsAre("25.1"));
  EXPECT_THAT(values_of("{kind: gemm, shapes: [8x8x8*2, 4x4x4]}", "shapes"),
              ElementsAre("8x8x8*2 4x4x4"));
}

TEST(SweepConfig, takes_null_where_the_dataset_makes_the_batches) {
  using ::testing::ElementsAre;
  const auto batch_sizes = [](const char* values) {
    const std::string file = "dataset: {torch: 'a:b'}\nloader: {batch_size: ";
    return axis(parse_config(file + values + "}\n", "s.yaml"), "batch_size").values;
  };
  EXPECT_THAT(batch_sizes("null"), ElementsAre(SettingValue("null")));
  EXPECT_THAT(batch_sizes("[32, null]"),
              ElementsAre(SettingValue(std::int64_t{32}), SettingValue("null")));
  EXPECT_THAT(parse_axis("batch_size=null").values, ElementsAre(SettingValue("null")));
  EXPECT_THROW(parse_axis("num_workers=null"), ConfigError);
}

TEST(SweepConfig, takes_a_list_of_lists_as_several_values) {
  EXPECT_THAT(values_of("{kind: trace, steps_ms: [[25.1, 24.9], [30], 7]}", "steps_ms"),
              ElementsAre("25.1 24.9", "30", "7"));
}

TEST(SweepConfig, names_the_place_of_a_bad_step_or_product) {
  for (const char* trainer : {"{steps_ms: [25, x]}", "{shapes: [8x8]}", "{steps_ms: []}",
                              "{steps_ms: {a: 1}}", "{steps_ms: [[1], [1]]}"}) {
    EXPECT_THAT([&] { values_of(trainer, ""); },
                ::testing::ThrowsMessage<ConfigError>(HasSubstr("s.yaml:2: trainer.")))
        << trainer;
  }
}

}  // namespace
}  // namespace feedrate
