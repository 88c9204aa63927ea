"""Help texts of options that several verbs have."""

from typing import Final

from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.profile import PROFILES as KNOWN_PROFILES

from ..http.paths import DEFAULT_URL

URL: Final = f"address of the HTTP service (default: KRAFTSIM_HTTP, else {DEFAULT_URL})"
TOKEN_FILE: Final = (
    "file with the bearer token of the HTTP service (default: KRAFTSIM_TOKEN; `up --host` beyond "
    "loopback prints a random token)"
)
OUTPUT: Final = (
    "json or yaml, for programs; wide: text with every column, not cut to the width of the "
    "terminal (default: text)"
)
UTC: Final = "print times in UTC (default: local clock time)"
CONFIG: Final = "Kafka .properties file with configurations of a node (docs/configuration.md)"
SET: Final = (
    "configuration of a node, such as broker.session.timeout.ms=3000; repeat it for several; it "
    "takes precedence over --config"
)
RACK: Final = "rack of the brokers; repeat the option to place them in several racks in turn"
CLUSTER_ID: Final = "id of the cluster, as `kraftsim storage random-uuid` prints one"
PROFILE: Final = (
    f"Kafka release whose rules apply: {', '.join(KNOWN_PROFILES)} (default {DEFAULT_PROFILE.name})"
)
PROFILES: Final = (
    "profile of one controller or broker of another release, such as 3002=kafka-4.3; repeat it for "
    "several"
)
PROFILES_OF_AGENTS: Final = (
    "profile of one broker of another release, such as 1002=kafka-4.3; repeat it for several"
)
METADATA_VERSION: Final = (
    "metadata.version of a new cluster, such as 4.3-IV0 (default: the newest of all its nodes)"
)
SCENARIO: Final = "path of a scenario file, or name of a scenario of the library"
SEED: Final = "seed of the run (default: the first seed under pins: in the file, else 1)"
ROUND: Final = (
    "draws of a round, which run at the same time (default 8; two or more for each core; another "
    "number finds something else)"
)
TAG: Final = "select the library's scenarios with this tag; repeat it for several tags"
SMOKE: Final = "run the reduced form that smoke: in the file describes"
ALLOW_CODE: Final = (
    "run the Python code that scenarios name; read it first: it can do whatever you can do"
)
SPARK_CONF: Final = "Spark setting; repeat it for several settings"
CAMPAIGN: Final = "folder of the campaign"
CAMPAIGN_OUT: Final = "new folder for the tables; all machines that run shards must see it"
