"""Outliers by the smallest ball that may leave five percent of the points outside."""

import numpy as np

import widemargin as wm
from widemargin.datasets import two_moons

moons = two_moons(300, seed=0)
strange = np.random.default_rng(1).uniform(-3, 4, size=(20, 2))

ball = wm.EnclosingBall(nu=0.05, gamma=2.0).fit(moons.X)
print(f"radius in feature space: {ball.radius_:.3f}")
print(f"{np.mean(ball.predict(moons.X) == -1):.1%} of the training points are outside, 5 % allowed")
print(f"{np.mean(ball.predict(strange) == -1):.1%} of points drawn from a square around them are outside")

inside = ball.decision_function(strange)
for k in np.argsort(inside)[[0, -1]]:
    print(f"{strange[k].round(2)}: squared distance beyond the ball {-inside[k]:+.3f}")
