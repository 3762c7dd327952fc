# SPDX-License-Identifier: Apache-2.0
"""Fits a damped oscillation to noisy measurements."""
import math
import random

import weft

random.seed(1)
t = [i / 20 for i in range(200)]
y = [3 * math.exp(-0.3 * v) * math.cos(2.5 * v + 0.4) + random.gauss(0, 0.05) for v in t]

fit = weft.solve.fit("y = a*exp(-d*t)*cos(w*t + p)", {"t": t, "y": y},
                     start={"a": 2, "d": 0.1, "w": 2.4, "p": 0})
for name, value in fit.parameters.items():
    print(f"{name} = {value:.3f} ± {fit.errors[name]:.3f}")
print(f"r2 = {fit.r2:.4f}, {'converged' if fit.converged else 'not converged'}")
