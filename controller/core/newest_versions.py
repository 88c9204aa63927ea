"""The newest versions of APIs of which Kafka's releases before 4.4 offer fewer.

Recorded ApiVersions responses of a broker and a controller of each release have them, equal on both
listeners (rule 5.1).
"""

from collections.abc import Mapping

ABSENT = -1
"""The release does not offer the API."""

_UNREGISTER_CONTROLLER = 94
_SHARE_AND_STREAMS = (*range(76, 80), *range(83, 94))
_STREAMS = (88, 89, 93)

NEWEST_3_9: Mapping[int, int] = {
    **{
        0: 11,
        1: 17,
        2: 9,
        3: 12,
        8: 9,
        9: 9,
        15: 5,
        26: 4,
        27: 1,
        28: 4,
        35: 4,
        42: 2,
        45: 0,
        52: 1,
    },
    **{57: 1, 60: 1, 63: 1, 66: 1, 68: 0, 69: 0, 74: 0, 80: 0},
    **dict.fromkeys((*_SHARE_AND_STREAMS, _UNREGISTER_CONTROLLER), ABSENT),
}
NEWEST_4_1: Mapping[int, int] = {
    **{2: 10, 8: 9, 9: 9, 27: 1, 28: 5, 35: 4, 42: 2, 63: 1, 78: 1, 79: 1, 80: 0, 85: 0, 87: 0},
    **{90: 0} | dict.fromkeys((*_STREAMS, _UNREGISTER_CONTROLLER), ABSENT),
}
NEWEST_4_3: Mapping[int, int] = {28: 5, 42: 2, 88: 0, 89: 0, 93: ABSENT, 94: ABSENT}
