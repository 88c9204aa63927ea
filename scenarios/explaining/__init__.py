"""Why a run failed: the violation, the event that broke a promise, and what led to it."""
