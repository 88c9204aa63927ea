"""Campaigns: thousands of seeded runs as a data set, run and queried with PySpark.

The service and the simulation import nothing from here. `pip install 'kraftsim[spark]'` installs
the dependencies.
"""
