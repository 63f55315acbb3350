# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Hugging Face's package if that is missing: the parts that the lines to paste use, with the original signatures."""


class DataCollatorWithPadding:
    def __init__(self, tokenizer, padding=True, max_length=None, pad_to_multiple_of=None, return_tensors="pt"):
        self.tokenizer = tokenizer
        self.arguments = dict(padding=padding, max_length=max_length, pad_to_multiple_of=pad_to_multiple_of, return_tensors=return_tensors)

    def __call__(self, features):
        return self.tokenizer.pad(features, **self.arguments)
