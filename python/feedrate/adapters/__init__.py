# SPDX-License-Identifier: Apache-2.0
"""Datasets of other packages, opened by one line: `dataset: {torch: "feedrate.adapters.parquet:open", args: {path: images}}`.

Each module has open(path, …), which returns a dataset for DataLoader, and where its package writes, write(samples, path, …). Samples
of images are (pixels, label): a uint8 tensor C×H×W as Pillow decodes it, or what `transform` makes of the PIL image, and an int. A
module of the same name brings the package; where it is missing, pip's line is in the error.
"""
