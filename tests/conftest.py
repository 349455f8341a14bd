"""Settings of the whole suite."""

import os

from hypothesis import HealthCheck, settings

# No deadline: the first call of a query compiles it, and two slow cores are shared. `HYPOTHESIS_PROFILE=thorough` looks longer.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("suite"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
