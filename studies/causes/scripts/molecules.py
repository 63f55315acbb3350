# SPDX-License-Identifier: Apache-2.0
"""Molecules: a batch has some tensors for each, and all of them are pinned."""
import torch
from own_clock import CURED, clock, seconds_of, skip_without_gpu
from torch.utils.data import DataLoader, Dataset
from torch.utils.data._utils.pin_memory import pin_memory


class Molecules(Dataset):
    def __init__(self):
        self.atoms = torch.rand(64, 8, 16)

    def __len__(self):
        return 100_000

    def __getitem__(self, i):
        return list(self.atoms[i % 64].clone().unbind())


def join(molecules):
    return torch.stack([torch.stack(atoms) for atoms in molecules]) if CURED else molecules


def main():
    skip_without_gpu()
    torch.manual_seed(142)
    molecules = Molecules()
    batch = join([molecules[i] for i in range(256)])
    pin_memory(batch)
    each = seconds_of(lambda: pin_memory(batch), 5)
    loader = DataLoader(molecules, batch_size=256, shuffle=True, num_workers=8, pin_memory=True, collate_fn=join)
    clock.start()
    for batch in loader:
        clock.batch_arrived()
        batch = batch.cuda() if CURED else torch.cat([atom for atoms in batch for atom in atoms]).cuda()
        torch.cuda.synchronize()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
