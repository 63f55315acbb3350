# SPDX-License-Identifier: Apache-2.0
"""Comments of a newspaper's readers. Most are one line; some are pasted essays, and those take long to split."""
import re
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset

WORD = re.compile(r"\w+|[^\w\s]")


class Comments(Dataset):
    def __init__(self):
        self.short = ["I do not agree with the author on this point, however well it is said. " * 2 for _ in range(50)]
        self.essay = "Let me explain in some detail why nothing of this can be true. " * 110_000

    def __len__(self):
        return 60_000

    @clock.work
    def __getitem__(self, i):
        if i % 400 == 77:
            with clock.cause:
                words = WORD.findall(self.essay)
        else:
            words = WORD.findall(self.short[i % 50])
        return torch.tensor([len(word) for word in words[:32]]), i % 2


def main():
    torch.manual_seed(123)
    order = torch.Generator().manual_seed(6)
    loader = DataLoader(Comments(), batch_size=8, shuffle=True, num_workers=2, generator=order, in_order=not CURED)
    clock.start()
    for comments, verdict in loader:
        clock.batch_arrived()
        time.sleep(0.006)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.while_in_cause(), line="words = WORD.findall(self.essay)")


if __name__ == "__main__":
    main()
