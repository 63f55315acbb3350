// SPDX-License-Identifier: Apache-2.0
#include "analysis/paste_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/dataloader_arguments.h"
#include "bench/plan/own_dataset.h"
#include "bench/plan/reference_work.h"

namespace feedrate {
namespace {

std::string python(const SettingValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (value == SettingValue("null")) return "None";
  if (std::holds_alternative<std::string>(value)) return "\"" + to_string(value) + "\"";
  return to_string(value);
}

struct Note {
  const char* knob;
  std::string_view value;
  const char* text;
};

// Steps outside of the training loop.
constexpr std::array<Note, 9> kNotes{
    {{"staging", "copy", "Copy the dataset to local storage of the node ($TMPDIR) first."},
     {"staging", "ram", "Copy the dataset to /dev/shm first."},
     {"presampled", "true",
      "Draw the points once: feedrate data convert SRC DST --sample-points N."},
     {"affinity", "cores", "Bind each rank to its share of the cores: srun --cpu-bind=cores."},
     {"affinity", "numa", "Bind each rank to the cores of its GPU's NUMA node: numactl -N NODE."},
     {"wire_dtype", "uint8", "Samples are uint8: let the dataset return pil_to_tensor(image)."},
     {"wire_dtype", "float16", "Samples are float16: let the dataset return image.half()."},
     {"transforms_on", "gpu",
      "Crop, resize, flip and normalize after the copy, with torchvision.transforms.v2 on the "
      "GPU."},
     {"decoder", "nvjpeg",
      "Let the dataset return torchvision.io.read_file(path), collate lists, and decode after "
      "loading: torchvision.io.decode_jpeg(files, mode=\"RGB\", device=\"cuda\")."}}};

std::string notes(const CellResult& cell) {
  std::string text;
  for (const Note& note : kNotes) {
    if (setting_text(cell, note.knob) == note.value) text += fmt::format("# {}\n", note.text);
  }
  const std::string environment = setting_text(cell, "environment");
  if (!environment.empty())
    text += fmt::format("# In the environment of the script: {}\n", environment);
  return text;
}

const std::string* own_fact(const RunResult& run, const CellResult& cell, const char* name) {
  return find_fact(run.environment.facts, of_variant(name, setting_text(cell, "variant")));
}

std::string variant_note(const RunResult& run, const CellResult& cell) {
  const std::string variant = setting_text(cell, "variant");
  if (variant.empty()) return {};
  std::string text = fmt::format("# dataset: variant {}", variant);
  const std::string* const factory = own_fact(run, cell, "dataset.torch");
  const std::string* const arguments = own_fact(run, cell, "dataset.args");
  if (factory != nullptr) text += fmt::format(": {}", *factory);
  if (arguments != nullptr) text += fmt::format(" with {}", *arguments);
  return text + '\n';
}

std::string batch_sampler_note(const RunResult& run, const CellResult& cell) {
  const std::string* const own = own_fact(run, cell, "batch_sampler");
  if (own == nullptr) return {};
  return fmt::format("# batch_sampler={}(dataset) in place of batch_size, shuffle and drop_last\n",
                     *own);
}

std::string format_note(const CellResult& cell) {
  const std::string format = setting_text(cell, "format");
  if (format.empty() || has_mock_loader(cell.settings)) return {};
  if (format == "folder") return "# dataset: torchvision.datasets.ImageFolder(PATH, transform)\n";
  return fmt::format(
      "# feedrate data convert SRC DST --format {}; read DST with the Dataset for {} of "
      "`feedrate help formats`.\n",
      format, format);
}

std::string chunk_note(const CellResult& cell) {
  std::string options;
  for (const char* knob : {"chunk", "codec"}) {
    const std::string value = setting_text(cell, knob);
    if (!value.empty()) options += fmt::format(" --{} {}", knob, value);
  }
  if (options.empty()) return {};
  return fmt::format("# Its chunks: feedrate data convert{}.\n", options);
}

bool has_side_stream(const CellResult& cell) {
  return count_of(cell.settings, "device_prefetch") > 0 ||
         setting_text(cell, "copy_stream") == "side";
}

struct Named {
  std::string module;
  std::string path;

  [[nodiscard]] std::string import_line() const {
    return fmt::format("from {} import {}\n", module, path.substr(0, path.find('.')));
  }
};

Named named(const std::string* reference) {
  const std::size_t colon = reference == nullptr ? std::string::npos : reference->find(':');
  if (colon == std::string::npos) return {};
  return {reference->substr(0, colon), reference->substr(colon + 1)};
}

Named loader_of(const CellResult& cell) {
  const std::string factory = setting_text(cell, "loader_factory");
  const Named own = named(&factory);
  return own.path.empty() ? Named{"torch.utils.data", "DataLoader"} : own;
}

class LoaderLines {
 public:
  LoaderLines(const RunResult& run, const CellResult& cell)
      : cell_(cell),
        loader_(loader_of(cell)),
        collate_(named(own_fact(run, cell, "collate_fn"))),
        init_(named(own_fact(run, cell, "worker_init_fn"))),
        sampler_(named(own_fact(run, cell, "sampler"))) {}

  [[nodiscard]] std::string imports() const {
    std::string text = preload().empty() ? "" : "import multiprocessing\n";
    if (starts_workers() || has_side_stream(cell_)) text += "import torch\n";
    text += loader_.import_line();
    if (has_distributed_sampler()) {
      text += "from torch.utils.data.distributed import DistributedSampler\n";
    }
    if (!padding().empty()) text += "from transformers import DataCollatorWithPadding\n";
    if (is_grouped(cell_)) {
      text += fmt::format("from transformers.trainer_pt_utils import {}\n", grouped_sampler());
    }
    if (!collate_.path.empty()) text += collate_.import_line();
    if (has_workers() && !init_.path.empty()) text += init_.import_line();
    if (!sampler_.path.empty()) text += sampler_.import_line();
    return text;
  }

  [[nodiscard]] std::string lines() const {
    std::string text = fmt::format("{}{}{}loader = {}(dataset", preload_line(), start_lines(),
                                   sampler_line(), loader_.path);
    for (const Setting& argument : dataloader_kwargs(cell_)) {
      text += fmt::format(", {}={}", argument.name, python(argument.value));
    }
    return text + functions() + ")\n" + sequence_notes();
  }

 private:
  [[nodiscard]] bool has_workers() const { return count_of(cell_.settings, "num_workers") > 0; }
  [[nodiscard]] std::string padding() const { return setting_text(cell_, "padding"); }
  [[nodiscard]] bool has_distributed_sampler() const {
    return has_ranks(cell_) && !is_grouped(cell_);
  }
  // These samplers of Hugging Face's transformers shuffle.
  [[nodiscard]] const char* grouped_sampler() const {
    return has_ranks(cell_) ? "DistributedLengthGroupedSampler" : "LengthGroupedSampler";
  }

  [[nodiscard]] bool shares_by_name() const {
    return has_workers() && setting_text(cell_, "transport") == "file_system";
  }

  [[nodiscard]] std::int64_t threads() const {
    return has_workers() ? count_of(cell_.settings, "worker_threads") : 0;
  }
  [[nodiscard]] bool starts_workers() const { return shares_by_name() || threads() > 0; }

  // Each worker has a sharing strategy of its own, inherited only if it was forked.
  [[nodiscard]] std::string start_lines() const {
    if (!starts_workers()) return {};
    const std::string strategy = "torch.multiprocessing.set_sharing_strategy(\"file_system\")\n";
    std::string text = shares_by_name() ? strategy : "";
    text += "def start_worker(worker_id):\n";
    if (shares_by_name()) text += "    " + strategy;
    if (threads() > 0) {
      text +=
          fmt::format("    torch.set_num_threads({0})  # cv2.setNumThreads({0}), too\n", threads());
    }
    if (!init_.path.empty()) text += fmt::format("    {}(worker_id)\n", init_.path);
    return text;
  }

  [[nodiscard]] std::string preload() const {
    return has_workers() ? setting_text(cell_, "forkserver_preload") : "";
  }
  [[nodiscard]] std::string preload_line() const {
    if (preload().empty()) return {};
    return fmt::format("multiprocessing.set_forkserver_preload(\"{}\".split())\n", preload());
  }

  [[nodiscard]] std::string sampler_line() const {
    if (!has_distributed_sampler()) return {};
    const auto flag = [&](const char* name) {
      return setting_text(cell_, name) == "true" ? "True" : "False";
    };
    return fmt::format("sampler = DistributedSampler(dataset, shuffle={}, drop_last={})\n",
                       flag("shuffle"), flag("drop_last"));
  }

  [[nodiscard]] std::string functions() const {
    std::string text;
    if (has_distributed_sampler()) text += ", sampler=sampler";
    if (!sampler_.path.empty()) text += fmt::format(", sampler={}(dataset)", sampler_.path);
    if (is_grouped(cell_)) {
      text += fmt::format(", sampler={}({}, dataset)", grouped_sampler(),
                          count_of(cell_.settings, "batch_size"));
    }
    if (!padding().empty()) {
      text += fmt::format(", collate_fn=DataCollatorWithPadding(tokenizer, padding=\"{}\"{})",
                          padding(), padding() == "max_length" ? ", max_length=N" : "");
    }
    if (!collate_.path.empty()) text += ", collate_fn=" + collate_.path;
    if (starts_workers()) return text + ", worker_init_fn=start_worker";
    if (has_workers() && !init_.path.empty()) text += ", worker_init_fn=" + init_.path;
    return text;
  }

  [[nodiscard]] std::string sequence_notes() const {
    std::string text;
    if (padding() == "max_length") text += "# N as in transforms: [tokens: N].\n";
    if (is_grouped(cell_) && setting_text(cell_, "shuffle") == "false") {
      text += "# LengthGroupedSampler shuffles; this cell did not, so the order differs.\n";
    }
    return text;
  }

  const CellResult& cell_;
  const Named loader_;
  const Named collate_;
  const Named init_;
  const Named sampler_;
};

std::string loader_lines(const RunResult& run, const CellResult& cell) {
  if (has_mock_loader(cell.settings)) return has_side_stream(cell) ? "import torch\n\n" : "";
  const LoaderLines lines(run, cell);
  return lines.imports() + '\n' + lines.lines();
}

std::string copy_of_x(const CellResult& cell) {
  const SettingValue* const non_blocking = find_setting(cell.settings, "non_blocking");
  if (non_blocking == nullptr) return "x.to(device)";
  return fmt::format("x.to(device, non_blocking={})", python(*non_blocking));
}

// Same protocol as bench/trainers/device_trainer.cpp: a step waits for the copy of its own batch
// only, and its memory is reused after the step. Batches of a tokenizer are mappings.
std::string side_stream_lines(const CellResult& cell) {
  const bool is_mapping = !setting_text(cell, "padding").empty();
  const std::string copy = copy_of_x(cell);
  const std::string copied = is_mapping ? "{name: " + copy + " for name, x in batch.items()}"
                                        : "[" + copy + " for x in batch]";
  return fmt::format(
      R"(def on_device(batches):  # for batch in on_device(loader): ...
    stream, sent = torch.cuda.Stream(device), []
    def arrived():
        batch, copied = sent.pop(0)
        torch.cuda.current_stream(device).wait_event(copied)
        for x in {}:
            x.record_stream(torch.cuda.current_stream(device))
        return batch
    for batch in batches:
        with torch.cuda.stream(stream):
            sent.append(({}, stream.record_event()))
        if len(sent) > {}:
            yield arrived()
    while sent:
        yield arrived()
)",
      is_mapping ? "batch.values()" : "batch", copied, count_of(cell.settings, "device_prefetch"));
}

std::string copy_lines(const CellResult& cell) {
  const bool copies_nothing =
      setting_text(cell, "trainer") == "discard" || setting_text(cell, "device") == "cpu";
  if (copies_nothing) return {};
  std::string lines = has_side_stream(cell)
                          ? side_stream_lines(cell)
                          : fmt::format("x = {}  # each tensor of a batch\n", copy_of_x(cell));
  if (setting_text(cell, "normalize_on") == "gpu") {
    lines +=
        "# Images only; mean and std as in transforms: tensors of shape (3, 1, 1) on the "
        "device.\nx = (x.float() / 255 - mean) / std\n";
  }
  return lines;
}

}  // namespace

std::string paste_ready(const RunResult& run, const CellResult& cell) {
  const std::string reason = why_not_pastable(cell);
  if (!reason.empty()) return fmt::format("# No lines to paste: {}.\n", reason);
  return notes(cell) + format_note(cell) + chunk_note(cell) + variant_note(run, cell) +
         batch_sampler_note(run, cell) + loader_lines(run, cell) + copy_lines(cell);
}

}  // namespace feedrate
