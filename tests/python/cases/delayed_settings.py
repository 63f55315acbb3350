# SPDX-License-Identifier: Apache-2.0
"""The transforms read a settings object of the module, which the training changes at given iterations. Workers would have
the settings of the moment of the fork.

Source: dbolya/yolact train.py (cfg.delayed_settings), utils/augmentations.py.
Expected: refused, with the reason naming cfg.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Config:
    def __init__(self, **settings):
        vars(self).update(settings)

    def replace(self, settings):
        vars(self).update(settings)


cfg = Config(max_size=24, discard_box_width=0.05, delayed_settings=[
    (50, {"discard_box_width": 0.2}), (130, {"max_size": 32}), (210, {"max_size": 40, "discard_box_width": 0.1}), (330, {"max_size": 16})])


def resize(picture):
    return picture[..., torch.arange(cfg.max_size) * picture.shape[-1] // cfg.max_size]


def discard_small(boxes):
    return boxes * (boxes[:, 1:] > cfg.discard_box_width)


class Detection(Dataset):
    def __len__(self):
        return 860

    def __getitem__(self, index):
        time.sleep(0.0035)
        boxes = torch.tensor([[k, (index * 17 + k * 29) % 100 / 250] for k in range(4)])
        return resize(torch.arange(48) + index), discard_small(boxes)


if __name__ == "__main__":
    trained = hashlib.sha256()
    for iteration, (pictures, boxes) in enumerate(DataLoader(Detection(), batch_size=2, num_workers=0)):
        for change in cfg.delayed_settings:
            if iteration >= change[0]:
                cfg.replace(change[1])
        cfg.delayed_settings = [x for x in cfg.delayed_settings if x[0] > iteration]
        trained.update(pictures.numpy().tobytes() + boxes.numpy().tobytes())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
