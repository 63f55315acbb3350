# SPDX-License-Identifier: Apache-2.0
"""The training sets an attribute of the dataset every ten batches, as multi-scale training does. Batches that are loaded
ahead would not see it.

Source: ultralytics/yolov3#174, Peterisfar/YOLOV3#42, argusswift/YOLOv4-pytorch#255.
Expected: refused, with the reason naming size.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    size = 32

    def __len__(self):
        return 2000

    def __getitem__(self, index):
        time.sleep(0.0015)
        return torch.zeros(1, self.size, self.size)


if __name__ == "__main__":
    data, wrong, trained = Pictures(), 0, 0
    for step, batch in enumerate(DataLoader(data, batch_size=8)):
        wrong += batch.shape[-1] != data.size
        trained = hash((trained, *batch.shape))
        time.sleep(0.004)
        if step % 10 == 9:
            data.size = 32 + 32 * (step // 10 % 3)
    print("result:", trained, "batches of a wrong size:", wrong)
