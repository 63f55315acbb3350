# SPDX-License-Identifier: Apache-2.0
"""Minutes of a parliament, a session each, in one big archive."""
import time
import zipfile

import torch
from own_clock import CURED, clock, data
from torch.utils.data import DataLoader, Dataset

SESSIONS = 3_000


def write(folder):
    with zipfile.ZipFile(folder / "minutes.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for session in range(SESSIONS):
            archive.writestr(f"year{session // 200}/session{session:05}.txt", f"The session {session} is opened. " * 40)


class Minutes(Dataset):
    def __init__(self, path):
        self.path = path
        self.archive = None

    def __len__(self):
        return 60_000

    def read(self, archive, i):
        session = i % SESSIONS
        return archive.read(f"year{session // 200}/session{session:05}.txt")

    @clock.work
    def __getitem__(self, i):
        if CURED:
            self.archive = self.archive or zipfile.ZipFile(self.path)
            text = self.read(self.archive, i)
        else:
            with clock.cause:
                archive = zipfile.ZipFile(self.path)
            with archive:
                text = self.read(archive, i)
        return torch.frombuffer(bytearray(text[:1000]), dtype=torch.uint8), i % 9


def main():
    torch.manual_seed(169)
    loader = DataLoader(Minutes(data("minutes", write) / "minutes.zip"), batch_size=8, shuffle=True, num_workers=2)
    clock.start()
    for text, party in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="archive = zipfile.ZipFile(self.path)")


if __name__ == "__main__":
    main()
