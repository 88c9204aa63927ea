"""Campaigns: thousands of seeded runs as a data set, through PySpark.

Nothing here is imported by the service or by the simulation; `pip install 'kraftsim[spark]'` brings
what it needs.
"""
