"""Every property, in the order of its number."""

from ..property import Property
from . import image, leases, quorum, registration

ALL: tuple[type[Property], ...] = (
    quorum.OneLeaderPerEpoch,
    quorum.EpochMonotone,
    quorum.VoteOnce,
    quorum.LogMatching,
    quorum.CommittedIsFinal,
    quorum.HighWatermark,
    quorum.LeaderCompleteness,
    quorum.OneWriter,
    image.ImageIsReplay,
    registration.EpochLaw,
    registration.OneIncarnationUnfenced,
    registration.NoTheft,
    registration.ForeignClusterLeavesNoTrace,
    registration.RefusedChangesNothing,
    registration.StaleEpochIsPowerless,
    registration.AnswerAfterCommit,
    registration.IdsImmutable,
    leases.NoEarlyFence,
    leases.NoLateFence,
    leases.FenceBeforeReuse,
    leases.UnfenceNeedsCatchUp,
    leases.LeasesAreRebuilt,
    leases.BeliefOverlap,
    leases.ShutdownLaw,
)
