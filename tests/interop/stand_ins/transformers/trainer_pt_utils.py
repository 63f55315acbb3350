# SPDX-License-Identifier: Apache-2.0
from torch.utils.data import Sampler


class LengthGroupedSampler(Sampler):
    def __init__(self, batch_size, dataset=None, lengths=None, model_input_name=None, generator=None):
        self.batch_size = batch_size
        self.lengths = lengths or [len(sample[model_input_name or "input_ids"]) for sample in dataset]

    def __len__(self):
        return len(self.lengths)

    def __iter__(self):
        return iter(sorted(range(len(self)), key=lambda index: -self.lengths[index]))


class DistributedLengthGroupedSampler(LengthGroupedSampler):
    def __init__(self, batch_size, dataset=None, num_replicas=None, rank=None, seed=0, drop_last=False, lengths=None, model_input_name=None):
        super().__init__(batch_size, dataset, lengths, model_input_name)
