# SPDX-License-Identifier: Apache-2.0
"""Each item is the next frame from the pipe of a decoder process that the dataset has started. Workers would share the pipe.

Source: xvdp/vidi vidi/ff_dataset.py (Popen(ffmpeg).stdout.read).
Expected: refused, with the reason naming the pipe or the frame count.
"""
import hashlib
import subprocess
import sys
import time
import numpy
import torch
from torch.utils.data import DataLoader, Dataset

FFMPEG = r"""
import sys
for number in range(2000):
    sys.stdout.buffer.write(bytes((number * 7 + place) % 256 for place in range(12 * 16 * 3)))
"""


class Frames(Dataset):
    def __init__(self, height, width, frames):
        self._h, self._w, self.frames, self.framecount = height, width, frames, 0
        self._bufsize = height * width * 3
        self._pipe = None

    def open(self):
        self._pipe = subprocess.Popen([sys.executable, "-c", FFMPEG], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=16 * self._bufsize)

    def close(self):
        self._pipe.kill()
        self._pipe.stdout.close()
        self._pipe.wait()

    def __len__(self):
        return self.frames

    def __getitem__(self, index):
        time.sleep(0.0035)
        data = numpy.frombuffer(self._pipe.stdout.read(self._bufsize), numpy.uint8).reshape(self._h, self._w, 3)
        self.framecount += 1
        return torch.from_numpy(data.copy()).permute(2, 0, 1).float().div_(255)


if __name__ == "__main__":
    video, trained = Frames(12, 16, 860), hashlib.sha256()
    video.open()
    for batch in DataLoader(video, batch_size=2, num_workers=0):
        trained.update(batch.contiguous().numpy().tobytes())
        time.sleep(0.0025)
    video.close()
    print("result:", trained.hexdigest()[:16], "frames:", video.framecount)
