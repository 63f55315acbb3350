// SPDX-License-Identifier: Apache-2.0
// The user's own dataset in a configuration.
#include "bench/plan/config.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/engines/torch/job.h"
#include "bench/engines/torch/torch_engine.h"
#include "bench/plan/limit_cells.h"
#include "bench/plan/named_device.h"
#include "bench/plan/own_dataset.h"
#include "bench/plan/plan.h"
#include "core/error.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Pair;
using ::testing::ThrowsMessage;

SweepConfig parse_own(const std::string& dataset, const std::string& rest = "") {
  return parse_config("dataset: {" + dataset + "}\n" + rest, "some/place/c.yaml");
}

std::string own_refusal(const std::string& dataset, const std::string& rest = "") {
  return message_of<ConfigError>([&] { return parse_own(dataset, rest); });
}

TEST(OwnDataset, arguments_keep_their_types) {
  const SweepConfig config = parse_own(
      "torch: 'a.b:make', args: {root: /data, n: 3, x: 0.5, on: true, none: null, text: '7', "
      "list: [1, two], map: {k: v}}, collate_fn: 'a:c'");
  const OwnDataset& own = config.dataset.own.at(0);
  EXPECT_EQ(own.variant, "");
  EXPECT_EQ(own.factory, "a.b:make");
  EXPECT_EQ(own.collate_fn, "a:c");
  EXPECT_EQ(own.arguments_json,
            R"({"list":[1,"two"],"map":{"k":"v"},"n":3,"none":null,"on":true,"root":"/data",)"
            R"("text":"7","x":0.5})");
}

TEST(OwnDataset, plain_arguments_are_read_by_the_core_schema) {
  const SweepConfig config = parse_own(
      "torch: 'a:b', args: {a: .5, b: 5., c: +1, d: 007, e: 0x1F, f: TRUE, g: NULL, h: ~, i: 0o17, "
      "j: -2e3, k: 18446744073709551615, l: 1e, m: ., n: 0x, o: 1_0, p: yes, q: -.5E+1}");
  EXPECT_EQ(config.dataset.own.at(0).arguments_json,
            R"({"a":0.5,"b":5.0,"c":1,"d":7,"e":31,"f":true,"g":null,"h":null,"i":15,)"
            R"("j":-2000.0,"k":18446744073709551615,"l":"1e","m":".","n":"0x","o":"1_0",)"
            R"("p":"yes","q":-5.0})");
}

TEST(OwnDataset, a_number_that_json_cannot_represent_is_refused) {
  for (const char* number : {".inf", "-.INF", ".NaN", "1e999", "18446744073709551616"}) {
    EXPECT_THAT(own_refusal(std::string("torch: 'a:b', args: {x: ") + number + "}"),
                AllOf(HasSubstr("dataset.args"), HasSubstr(number), HasSubstr("quote it")));
  }
}

TEST(OwnDataset, modules_are_searched_in_the_folder_of_the_configuration_and_here) {
  EXPECT_THAT(parse_own("torch: 'a:b'").dataset.module_folders,
              ElementsAre(std::filesystem::path("some/place"), std::filesystem::path(".")));
}

TEST(OwnDataset, the_engine_is_torch_unless_the_file_names_one) {
  const auto engines = [](const SweepConfig& config) {
    for (const Axis& axis : config.axes) {
      if (axis.name == "engine") return axis.values;
    }
    return std::vector<SettingValue>{};
  };
  EXPECT_THAT(engines(parse_own("torch: 'a:b'")), ElementsAre(SettingValue(std::string("torch"))));
  EXPECT_THAT(engines(parse_own("path: x")), ElementsAre(SettingValue(std::string("native"))));
  const auto plan = make_plan(parse_own("torch: 'a:b'", "engine: [native, torch]"), {});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_THAT(plan[0].skip_reason, HasSubstr("only supported by the PyTorch engine"));
  EXPECT_EQ(plan[1].skip_reason, "");
}

TEST(OwnDataset, invalid_values_are_refused_with_the_key) {
  EXPECT_THAT(own_refusal("torch: make_dataset"),
              AllOf(HasSubstr("dataset.torch"), HasSubstr("MODULE:FUNCTION")));
  EXPECT_THAT(own_refusal("torch: 'a:b', path: x"),
              AllOf(HasSubstr("dataset.path"), HasSubstr("combined with dataset.torch")));
  EXPECT_THAT(own_refusal("torch: 'a:b', format: tar"), HasSubstr("dataset.format"));
  EXPECT_THAT(own_refusal("torch: 'a:b', args: 7"), HasSubstr("dataset.args"));
  EXPECT_THAT(own_refusal("path: x, collate_fn: 'a:b'"),
              AllOf(HasSubstr("dataset.collate_fn"), HasSubstr("dataset.torch, which is missing")));
  EXPECT_THAT(own_refusal("torch: 'a:b'", "pipeline: {transforms: [to_tensor]}"),
              HasSubstr("cannot be combined with dataset.torch"));
}

std::vector<std::string> variants_of(const SweepConfig& config) {
  std::vector<std::string> names;
  for (const Cell& cell : make_plan(config, {})) names.push_back(text_of(cell.settings, "variant"));
  return names;
}

TEST(Variants, are_an_axis_in_the_order_of_the_file) {
  const SweepConfig config = parse_own(
      "args: {root: /data, n: 1}, worker_init_fn: 'a:w', variants: {tar: {torch: 'a:tar', args: "
      "{n: 2}}, hdf5: {torch: 'b:h5', collate_fn: 'b:c'}}");
  EXPECT_THAT(variants_of(config), ElementsAre("tar", "hdf5"));
  const OwnDataset& tar = own_dataset(config.dataset, "tar");
  EXPECT_EQ(tar.factory, "a:tar");
  EXPECT_EQ(tar.arguments_json, R"({"n":2,"root":"/data"})");
  const OwnDataset& hdf5 = own_dataset(config.dataset, "hdf5");
  EXPECT_EQ(hdf5.arguments_json, R"({"n":1,"root":"/data"})");
  EXPECT_EQ(hdf5.collate_fn, "b:c");
  EXPECT_EQ(hdf5.worker_init_fn, "a:w");
}

TEST(Variants, are_made_of_the_axes_of_a_factorys_arguments) {
  const SweepConfig one =
      parse_own("torch: 'a:b', args: {root: /data}, axes: {chunk: [1, 8], codec: [zstd, lz4]}");
  EXPECT_THAT(variants_of(one), ElementsAre("chunk=1 codec=zstd", "chunk=1 codec=lz4",
                                            "chunk=8 codec=zstd", "chunk=8 codec=lz4"));
  EXPECT_EQ(own_dataset(one.dataset, "chunk=8 codec=lz4").arguments_json,
            R"({"chunk":8,"codec":"lz4","root":"/data"})");
  EXPECT_THAT(
      variants_of(parse_own("torch: 'a:b', variants: {zarr: {axes: {chunk: [1, 8]}}, x: {}}")),
      ElementsAre("zarr chunk=1", "zarr chunk=8", "x"));
}

TEST(Variants, can_be_chosen_among) {
  const std::string two = "variants: {tar: {torch: 'a:b'}, hdf5: {torch: 'a:c'}}";
  EXPECT_THAT(variants_of(parse_own(two + ", variant: hdf5")), ElementsAre("hdf5"));
  SweepConfig config = parse_own(two);
  override_axis(config, parse_axis("variant=tar"));
  EXPECT_THAT(variants_of(config), ElementsAre("tar"));
  EXPECT_THAT([&] { variants_of(parse_own(two + ", variant: lance")); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("lance"), HasSubstr("tar, hdf5"))));
  EXPECT_THAT([&] { variants_of(parse_own("path: x, variant: lance")); },
              ThrowsMessage<ConfigError>(HasSubstr("dataset.variants")));
}

TEST(Variants, that_are_invalid_are_refused_with_the_key) {
  EXPECT_THAT(own_refusal("variants: {}"), HasSubstr("dataset.variants"));
  EXPECT_THAT(own_refusal("variants: {a: {}}"),
              AllOf(HasSubstr("dataset.variants.a"), HasSubstr("needs torch")));
  EXPECT_THAT(own_refusal("variants: {a: {torch: b}}"), HasSubstr("dataset.variants.a.torch"));
  EXPECT_THAT(own_refusal("variants: {a: {torch: 'b:c', path: x}}"), HasSubstr("path"));
  EXPECT_THAT(own_refusal("variants: {'a,b': {torch: 'b:c'}}"), HasSubstr("without a comma"));
  EXPECT_THAT(own_refusal("torch: 'b:c', path: x, variants: {a: {}}"), HasSubstr("dataset.path"));
  EXPECT_THAT(own_refusal("torch: 'b:c', axes: {n: 3}"),
              AllOf(HasSubstr("dataset.axes.n"), HasSubstr("must be a list")));
  EXPECT_THAT(own_refusal("torch: 'b:c', axes: {n: [[1, 2]]}"), HasSubstr("dataset.axes.n"));
  EXPECT_THAT(own_refusal("torch: 'b:c', axes: {n: [1, 1]}"), HasSubstr("n=1 is listed twice"));
}

TEST(LoaderFactory, is_a_reference_and_only_for_pytorch) {
  EXPECT_THAT(own_refusal("torch: 'a:b'", "loader: {factory: spdl}"),
              AllOf(HasSubstr("loader.factory"), HasSubstr("MODULE:FUNCTION")));
  const auto plan = make_plan(
      parse_config(
          "dataset: {path: x}\nengine: [native, torch]\nloader: {factory: [default, 'm:f']}",
          "c.yaml"),
      {});
  ASSERT_EQ(plan.size(), 4U);
  const auto skipped = std::count_if(plan.begin(), plan.end(), [](const Cell& cell) {
    return cell.skip_reason == "loader_factory m:f: only the PyTorch engine supports it";
  });
  EXPECT_EQ(skipped, 1);
}

std::vector<Cell> plan_of(const std::string& text) {
  return make_plan(parse_config(text, "c.yaml"), {});
}

TEST(OwnStep, needs_no_more_than_its_name) {
  const auto plan = plan_of("dataset: {torch: 'a:b'}\ntrainer: {torch: 'm:make_step'}");
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].skip_reason, "");
  EXPECT_EQ(text_of(plan[0].settings, "trainer"), "torch");
  EXPECT_EQ(text_of(plan[0].settings, "engine"), "torch");
  EXPECT_EQ(text_of(plan[0].settings, "step_ms"), "");
  EXPECT_EQ(text_of(plan[0].settings, "device"), why_no_cuda().empty() ? "cuda:0" : "cpu");
}

std::string why_no_plan_of(const std::string& text) {
  return message_of<ConfigError>([&] { return plan_of(text); });
}

TEST(OwnStep, runs_only_on_devices_that_compute) {
  const std::string own = "dataset: {torch: 'a:b'}\n";
  const std::string step = "trainer: {torch: 'm:make_step'}\n";
  EXPECT_EQ(why_no_plan_of(own + step + "device: {name: cpu}"), "");
  EXPECT_THAT(why_no_plan_of(own + step + "device: {name: sim:h200}"),
              HasSubstr("cannot run your step"));
  EXPECT_THAT(why_no_plan_of(own + "device: {name: cpu}"),
              AllOf(HasSubstr("device cpu"), HasSubstr("trainer burn")));
  EXPECT_THAT(why_no_plan_of(own + "trainer: {kind: torch}"), HasSubstr("needs trainer.torch"));
  EXPECT_THAT(why_no_plan_of("dataset: {path: x}\nengine: native\n" + step),
              HasSubstr("only the PyTorch engine"));
  EXPECT_THAT(why_no_plan_of(own + "trainer: {torch: make_step}"), HasSubstr("MODULE:FUNCTION"));
}

TEST(OwnStep, on_the_cpu_nothing_is_copied) {
  const auto plan = plan_of(
      "dataset: {torch: 'a:b'}\nloader: {pin_memory: [false, true]}\n"
      "device: {name: cpu, non_blocking: [false, true], copy_stream: [same, side]}\n"
      "trainer: {torch: 'm:f'}");
  EXPECT_EQ(std::count_if(plan.begin(), plan.end(),
                          [](const Cell& cell) { return cell.skip_reason.empty(); }),
            1);
}

TEST(OwnDataset, text_that_is_no_utf8_is_refused_with_the_key) {
  ConfigNode text;
  text.kind = ConfigNode::Kind::kScalar;
  text.scalar = "caf\xE9:make";
  text.file = std::make_shared<const std::string>("c.yaml");
  ConfigNode arguments = text;
  arguments.kind = ConfigNode::Kind::kMap;
  arguments.entries.push_back({"root", text});
  ConfigNode good = text;
  good.scalar = "a:b";
  const auto refused = [&](const ConfigNode& torch, const ConfigNode& args) {
    ConfigNode section = arguments;
    section.entries = {{"torch", torch}, {"args", args}};
    return message_of<ConfigError>([&] { return parse_own_datasets(section); });
  };
  EXPECT_THAT(refused(text, good), AllOf(HasSubstr("dataset.torch"), HasSubstr("UTF-8")));
  EXPECT_THAT(refused(good, arguments), AllOf(HasSubstr("dataset.args"), HasSubstr("UTF-8")));
}

TEST(TorchJob, a_path_that_is_no_utf8_is_refused_with_the_key) {
  EXPECT_THAT(message_of<ConfigError>([] {
                return torch_probe({.modules = {}, .module_folders = {"caf\xE9"}}, ::getpid());
              }),
              AllOf(HasSubstr("dataset.torch"), HasSubstr("UTF-8")));
  const TorchDataset data{.records = TorchRecords{"caf\xE9", "folder", {}, false}, .own = {}};
  EXPECT_THROW(static_cast<void>(torch_job({}, data, {}, 1)), ConfigError);
}

TEST(TorchJob, normalizes_on_the_gpu_and_then_not_in_the_workers) {
  TorchDataset data{.records = TorchRecords{"ds", "folder", {}, false}, .own = {}};
  data.records->pipeline.normalize = Normalize{{0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F}};
  CellSpec cell;
  cell.device = "cuda";
  cell.burn = BurnSpec();
  const auto normalizing = [&](const char* who) {
    return nlohmann::json::parse(torch_job(cell, data, {}, 1)).at(who).at("normalize");
  };
  EXPECT_TRUE(normalizing("cuda").is_null());
  EXPECT_EQ(normalizing("dataset").at("mean").dump(), "[0.5,0.5,0.5]");
  cell.normalize_on_gpu = true;
  EXPECT_EQ(normalizing("cuda").at("std").dump(), "[0.25,0.25,0.25]");
  EXPECT_TRUE(normalizing("dataset").is_null());
  data.records->pipeline.normalize.reset();
  EXPECT_EQ(normalizing("cuda").at("std").dump(), "[1.0,1.0,1.0]");
}

TEST(TorchNeeds, are_those_of_the_cells_that_run) {
  EXPECT_FALSE(torch_needs(parse_own("path: x"), make_plan(parse_own("path: x"), {})));
  const SweepConfig config = parse_own("path: x, format: [lmdb, hdf5]", "engine: torch");
  const auto needs = torch_needs(config, make_plan(config, {}));
  ASSERT_TRUE(needs);
  EXPECT_TRUE(needs->own.empty());
  EXPECT_THAT(needs->format_modules, ElementsAre(Pair("h5py", "h5py"), Pair("lmdb", "lmdb")));
  EXPECT_THAT(needs->modules,
              ElementsAre(Pair("PIL", "pillow"), Pair("torchvision", "torchvision")));
  EXPECT_EQ(all_required(*needs).modules.size(), 4U);
}

TEST(TorchNeeds, cells_whose_format_has_no_module_are_skipped_by_name) {
  const SweepConfig config =
      parse_own("path: x, format: [folder, lmdb, hdf5]", "engine: [native, torch]");
  std::vector<Cell> plan = make_plan(config, {});
  TorchRuntime runtime;
  runtime.missing = {{"lmdb", "no lmdb; pip install lmdb"}};
  skip_what_is_missing(plan, config, runtime);
  for (const Cell& cell : plan) {
    const CellSpec spec = make_cell_spec(cell.settings, 1);
    const bool lacks = spec.engine == EngineKind::kTorch && spec.format == "lmdb";
    EXPECT_EQ(cell.skip_reason, lacks ? "format lmdb: no lmdb; pip install lmdb" : "");
  }
}

TEST(TorchNeeds, a_plan_of_such_cells_alone_is_refused) {
  const SweepConfig config = parse_own("path: x, format: lmdb", "engine: torch");
  std::vector<Cell> plan = make_plan_with_limits(config, {});
  TorchRuntime runtime;
  skip_what_is_missing(plan, config, runtime);
  runtime.missing = {{"lmdb", "no lmdb; pip install lmdb"}};
  EXPECT_THAT([&] { skip_what_is_missing(plan, config, runtime); },
              ThrowsMessage<ConfigError>(HasSubstr("pip install lmdb")));
}

}  // namespace
}  // namespace feedrate
