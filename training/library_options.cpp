// SPDX-License-Identifier: Apache-2.0
#include "training/library_options.h"

#include <algorithm>
#include <array>

namespace feedrate {
namespace {

// tests/frameworks/library_options_test.py makes a loader by each of them.
constexpr std::array kLibraries{
    LibraryOptions{"accelerate", "the DataLoader({}) that accelerator.prepare() takes",
                   "num_workers", "prefetch_factor", "pin_memory", "persistent_workers",
                   "multiprocessing_context"},
    LibraryOptions{"detectron2", "cfg.DATALOADER.{}", "NUM_WORKERS", "", "", "", ""},
    LibraryOptions{"fairseq", "the command line: {}", "--num-workers", "", "", "", ""},
    LibraryOptions{"ignite", "idist.auto_dataloader({})", "num_workers", "prefetch_factor",
                   "pin_memory", "persistent_workers", "multiprocessing_context"},
    LibraryOptions{"lightning", "the DataLoader({}) that train_dataloader() returns", "num_workers",
                   "prefetch_factor", "pin_memory", "persistent_workers",
                   "multiprocessing_context"},
    LibraryOptions{"mmengine", "train_dataloader=dict({})", "num_workers", "prefetch_factor",
                   "pin_memory", "persistent_workers", "multiprocessing_context"},
    LibraryOptions{"monai", "monai.data.DataLoader({})", "num_workers", "prefetch_factor",
                   "pin_memory", "persistent_workers", "multiprocessing_context"},
    LibraryOptions{"pytorch_lightning", "the DataLoader({}) that train_dataloader() returns",
                   "num_workers", "prefetch_factor", "pin_memory", "persistent_workers",
                   "multiprocessing_context"},
    LibraryOptions{"sentence_transformers", "SentenceTransformerTrainingArguments({})",
                   "dataloader_num_workers", "dataloader_prefetch_factor", "dataloader_pin_memory",
                   "dataloader_persistent_workers", "dataloader_multiprocessing_context"},
    LibraryOptions{"skorch", "NeuralNet({})", "iterator_train__num_workers",
                   "iterator_train__prefetch_factor", "iterator_train__pin_memory",
                   "iterator_train__persistent_workers", "iterator_train__multiprocessing_context"},
    LibraryOptions{"timm", "create_loader({})", "num_workers", "", "pin_memory",
                   "persistent_workers", ""},
    LibraryOptions{"torch_geometric", "the arguments of its loader: {}", "num_workers",
                   "prefetch_factor", "pin_memory", "persistent_workers",
                   "multiprocessing_context"},
    LibraryOptions{"torchdata", "StatefulDataLoader({})", "num_workers", "prefetch_factor",
                   "pin_memory", "persistent_workers", "multiprocessing_context"},
    LibraryOptions{"transformers", "TrainingArguments({})", "dataloader_num_workers",
                   "dataloader_prefetch_factor", "dataloader_pin_memory",
                   "dataloader_persistent_workers", "dataloader_multiprocessing_context"},
    LibraryOptions{"ultralytics", "train({})", "workers", "", "", "", ""},
    LibraryOptions{"webdataset", "WebLoader({})", "num_workers", "prefetch_factor", "pin_memory",
                   "persistent_workers", "multiprocessing_context"},
};

}  // namespace

std::string LibraryOptions::name_of(std::string_view argument) const {
  if (argument == "num_workers") return num_workers;
  if (argument == "prefetch_factor") return prefetch_factor;
  if (argument == "pin_memory") return pin_memory;
  if (argument == "persistent_workers") return persistent_workers;
  if (argument == "multiprocessing_context") return multiprocessing_context;
  return {};
}

const LibraryOptions* find_library_options(std::string_view package) {
  const auto* const found =
      std::find_if(kLibraries.begin(), kLibraries.end(),
                   [&](const LibraryOptions& one) { return one.package == package; });
  return found == kLibraries.end() ? nullptr : &*found;
}

}  // namespace feedrate
