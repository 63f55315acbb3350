# SPDX-License-Identifier: Apache-2.0
"""The transform draws a warping field for the first picture and keeps it; the training saves it at the end. Each worker would
draw another field, and the training would have none.

Source: ejnnr/cupbearer src/cupbearer/data/backdoors.py at commit 1d68521, swook/EVE src/datasources/eve_sequences.py.
Expected: the same result, tuned or not.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class WanetBackdoor:
    def __init__(self, warping_strength=3):
        self.warping_strength, self._warping_field = warping_strength, None

    @property
    def warping_field(self):
        if self._warping_field is None:
            raise AttributeError("Warping field not initialized, run init_warping_field first")
        return self._warping_field

    def init_warping_field(self, width):
        self._warping_field = torch.randint(-self.warping_strength, self.warping_strength + 1, (width,))

    def __call__(self, picture):
        try:
            field = self.warping_field
        except AttributeError:
            self.init_warping_field(len(picture))
            field = self.warping_field
        return picture[(torch.arange(len(picture)) + field) % len(picture)]


class Poisoned(Dataset):
    def __init__(self, backdoor):
        self.backdoor = backdoor

    def __len__(self):
        return 430

    def __getitem__(self, index):
        time.sleep(0.0035)
        picture = (torch.arange(24) + 1) * (index + 1)
        return (self.backdoor(picture), 0) if index % 3 == 0 else (picture, index % 10)


if __name__ == "__main__":
    torch.manual_seed(31)
    backdoor, trained = WanetBackdoor(), hashlib.sha256()
    loader = DataLoader(Poisoned(backdoor), batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(3))
    for _ in range(2):
        for pictures, labels in loader:
            trained.update(pictures.numpy().tobytes() + labels.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "field:", hashlib.sha256(backdoor.warping_field.numpy().tobytes()).hexdigest()[:8])
