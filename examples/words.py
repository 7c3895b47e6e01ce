"""Any function of two lists is a kernel: English and German words by the letters that follow each other."""

from collections import Counter

import numpy as np

import widemargin as wm

ENGLISH = ["the", "and", "with", "would", "which", "there", "through", "thought", "water", "mother", "know"]
GERMAN = ["der", "und", "mit", "welche", "dort", "durch", "gedanke", "wasser", "mutter", "zwei", "schon"]


def parts(word, length=2):
    padded = f"_{word}_"
    return Counter(padded[k : k + length] for k in range(len(padded) - length + 1))


def spectrum(A, B):
    """k(a, b) = the number of times that the same two letters in a row occur in both words."""
    left, right = [parts(word) for word in A], [parts(word) for word in B]
    return np.array([[sum(a[p] * b[p] for p in a) for b in right] for a in left], dtype=float)


words, languages = ENGLISH + GERMAN, ["English"] * len(ENGLISH) + ["German"] * len(GERMAN)
machine = wm.SVC(kernel=wm.kernels.Callable(spectrum).normalized(), C=10).fit(words, languages)

for word in ["weather", "wetter", "brother", "bruder", "without", "schule", "where"]:
    print(f"{word:10} {machine.predict([word])[0]:8} {machine.decision_function([word])[0]:+.2f}")
print("support vectors:", ", ".join(machine.support_vectors_))
