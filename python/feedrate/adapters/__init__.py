# SPDX-License-Identifier: Apache-2.0
"""Datasets of other packages, opened by one line: `dataset: {torch: "feedrate.adapters.parquet:open", args: {path: images}}`.

Each module has open(path, …), which returns a dataset for DataLoader, and where its package writes, write(samples, path, …). Samples
of images are (pixels, label): pixels is a uint8 tensor C×H×W decoded by Pillow, or the result of `transform` on the PIL image;
label is an int. A module imports the package of its own name; if that is missing, the error names the pip command.
"""
