# SPDX-License-Identifier: Apache-2.0
"""The PyTorch engine of feedrate: one cell of a sweep, run with torch.utils.data.DataLoader.

feedrate unpacks this package into a temporary folder and starts feedrate_child.py. It needs torch (1.13 or later), and for
feedrate's own datasets what a PyTorch user would take: Pillow and torchvision, h5py or lmdb. See docs/torch-engine.md.
"""
