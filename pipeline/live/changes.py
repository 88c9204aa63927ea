"""DataFrames of broker changes, and of the intervals and the availability that follow from them."""

from datetime import datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as f
from pyspark.sql.window import Window

from .broker_states import ABOUT_BROKERS, UNFENCED, UNREGISTERED
from .processor import CHANGES, BrokerStates

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def broker_changes(log: "DataFrame") -> "DataFrame":
    """Returns a streaming row for each change of a broker's state or epoch.

    `log` is a stream of the source's rows.
    """
    about = log.where(f.col("record_type").isin(*ABOUT_BROKERS)).select(
        "broker_id",
        "offset",
        f.unix_millis("ts").alias("ts_ms"),
        "record_type",
        "broker_epoch",
        "payload",
    )
    changes = about.groupBy("broker_id").transformWithState(
        BrokerStates(), CHANGES, outputMode="Append", timeMode="None"
    )
    times = {"ts_ms": "ts", "since_ms": "since"}
    return changes.select(
        *(
            f.timestamp_millis(name).alias(times[name]) if name in times else f.col(name)
            for name in changes.columns
        )
    )


def intervals(changes: "DataFrame") -> "DataFrame":
    """Returns the intervals in which each broker was in one state, from a table of changes.

    `t1` is null for the current state, as far as the log has been followed.
    """
    order = Window.partitionBy("broker_id").orderBy("offset")
    spans = changes.select(
        "broker_id",
        "broker_epoch",
        "state",
        f.col("ts").alias("t0"),
        f.lead("ts").over(order).alias("t1"),
        f.col("cause"),
    )
    return spans.where(f.col("state") != UNREGISTERED)


def availability(changes: "DataFrame", until: datetime) -> "DataFrame":
    """Returns the share of time in which each broker was unfenced, from a table of changes.

    The time counts from the registration up to `until`. A broker in controlled shutdown counts as
    unavailable.
    """
    ended = f.least(f.coalesce("t1", f.lit(until)), f.lit(until))
    lasted_ms = f.greatest(f.unix_millis(ended) - f.unix_millis("t0"), f.lit(0))
    sums = (
        intervals(changes)
        .withColumn("lasted_ms", lasted_ms)
        .groupBy("broker_id")
        .agg(
            f.sum(f.when(f.col("state") == UNFENCED, f.col("lasted_ms")).otherwise(0)).alias(
                "unfenced_ms"
            ),
            f.sum("lasted_ms").alias("known_ms"),
        )
    )
    return sums.withColumn("availability", f.expr("try_divide(unfenced_ms, known_ms)"))
