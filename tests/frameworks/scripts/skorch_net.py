# SPDX-License-Identifier: Apache-2.0
"""skorch's NeuralNet, whose fit() makes a new loader in each epoch."""
import torch
from skorch import NeuralNet

from measured import Classifier, NumberedPictures, Stopwatch, arguments


class Net(NeuralNet):
    """The module has the loss."""

    def train_step_single(self, batch, **fit_params):
        loss = self.module_(*batch)["loss"]
        loss.backward()
        return {"loss": loss, "y_pred": loss}


def main() -> None:
    args = arguments(workers=0)
    torch.manual_seed(1)
    net = Net(
        Classifier, criterion=torch.nn.CrossEntropyLoss, max_epochs=args.epochs, lr=0.01, batch_size=16, train_split=None, verbose=0,
        iterator_train__shuffle=True, iterator_train__num_workers=args.workers,
    )  # fmt: skip
    stopwatch = Stopwatch()
    net.fit(NumberedPictures(2400), y=None)
    stopwatch.print_share()
    net.module_.print_noted()


if __name__ == "__main__":
    main()
