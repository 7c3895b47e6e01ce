"""Data and models in LIBSVM's format, from Python and on the command line."""

from pathlib import Path

from sklearn.datasets import load_iris

import widemargin as wm
from widemargin.cli import main
from widemargin.io import load_libsvm_model, read_libsvm, save_libsvm_model, write_libsvm

X, y = load_iris(return_X_y=True)
write_libsvm("iris.txt", X, y)
print(Path("iris.txt").read_text().splitlines()[0])

X, y = read_libsvm("iris.txt")
machine = wm.SVC(C=10, gamma="auto").fit(X, y)
save_libsvm_model(machine, "iris.libsvm-model")
print(Path("iris.libsvm-model").read_text().split("SV")[0])
print("accuracy of the model read back:", load_libsvm_model("iris.libsvm-model").score(X, y))

print("$ widemargin train -c 10 -g auto iris.txt iris.model")
main(["train", "-c", "10", "-g", "auto", "iris.txt", "iris.model"])
print("$ widemargin predict iris.txt iris.model predicted.txt")
main(["predict", "iris.txt", "iris.model", "predicted.txt"])
