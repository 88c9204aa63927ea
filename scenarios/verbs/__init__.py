"""Every verb of a scenario, by its word (`VERBS`): one file per family."""

from . import admin as admin
from . import clocks as clocks
from . import disks as disks
from . import forged_replies as forged_replies
from . import hostile as hostile
from . import leadership as leadership
from . import link_quality as link_quality
from . import links as links
from . import logs as logs
from . import membership as membership
from . import messages as messages
from . import processes as processes
from . import replicas as replicas
from . import requests as requests
from . import security as security
from . import topics as topics
from .verb import VERBS as VERBS
from .verb import Verb as Verb
