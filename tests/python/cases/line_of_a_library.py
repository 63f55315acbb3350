# SPDX-License-Identifier: Apache-2.0
"""A library that feedrate does not know makes the DataLoader.

Source: webdataset/webdataset#350 (WebLoader), skorch-dev/skorch#336.
Expected: the loader is named by the line of this script that calls the library.
"""
import os
import sys
import tempfile
import time
from torch.utils.data import Dataset

LIBRARY = """
from torch.utils.data import DataLoader

class WebLoader:
    def __init__(self, *arguments, **named):
        self.loader = self.make(*arguments, **named)

    def make(self, *arguments, **named):
        return DataLoader(*arguments, **named)

    def __iter__(self):
        return iter(self.loader)
"""


class Samples(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        time.sleep(0.0015)
        return index


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        packages = os.path.join(folder, "lib", "python3", "site-packages")
        os.makedirs(os.path.join(packages, "webloaders"))
        with open(os.path.join(packages, "webloaders", "__init__.py"), "w") as file:
            file.write(LIBRARY)
        sys.path.append(packages)
        import webloaders

        trained = 0
        for batch in webloaders.WebLoader(Samples(), batch_size=8):  # This line is the site.
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.006)
    print("result:", trained)
