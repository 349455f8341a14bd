"""Settings of the whole suite."""

import os

from hypothesis import HealthCheck, settings

# No deadline: the first call of a query compiles it, and two slow cores are shared. `few` is for properties of which one example takes a
# tenth of a second; HYPOTHESIS_PROFILE=thorough looks much longer.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("suite"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
settings.register_profile("few", parent=settings(), max_examples=settings().max_examples * 3 // 10)
