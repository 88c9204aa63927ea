"""Changes of the voters, one at a time (KIP-853, rules 10.50 to 10.53).

The leader requests the versions that a new voter supports before it writes the change. A written
change takes effect at once, committed or not, and truncation reverts it. The request is answered
once the change is committed.
"""

from dataclasses import replace
from typing import Any

from ..core.errors import ErrorCode
from ..core.hash_order import in_sized_hash_order
from ..core.log.control_records import VersionRange, Voter, VoterEndpoint, Voters
from ..core.rpc import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    ApiVersionsRequest,
    ApiVersionsResponse,
    CurrentVoterLeader,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    Response,
    SupportedFeatureKey,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)
from ..core.uuid import ZERO_UUID
from ..time.timeline import NEVER_MS
from . import leading
from .protocol import Turn
from .quorum import Quorum
from .roles import Leader, VoterChange, leader_role
from .voters import ReplicaKey, VoterSet

OBSERVER_FRESH_MS = 3_600_000  # a new voter must have fetched within the last hour (10.51)
KRAFT_VERSION = "kraft.version"
SOFTWARE = "apache-kafka-java"  # Kafka's own name for its raft client

ChangeRequest = AddRaftVoterRequest | RemoveRaftVoterRequest
Refusal = tuple[ErrorCode, str | None]


def add(quorum: Quorum, request: AddRaftVoterRequest, token: Any, turn: Turn) -> bool:
    """Handle AddRaftVoter, with checks in Kafka's order (rule 10.51).

    Returns True if it began a change.
    """
    refusal = _refusal(quorum, request)
    voters = quorum.voters
    if refusal is None and voters.find(request.voter_id) is not None:
        refusal = (
            ErrorCode.DUPLICATE_VOTER,
            f"The voter id for {_named(quorum, _key(request))} is already part of "
            f"the set of voters {_listed(quorum, voters)}.",
        )
    if refusal is not None:
        turn.replies += ((token, _reply(quorum, request, *refusal)),)
        return False
    role = leader_role(quorum.role)
    timeout_ms = quorum.settings.controller_quorum_request_timeout_ms
    role.begin_change(VoterChange(request, token, turn.now_ms + timeout_ms))
    endpoint = quorum.endpoint_of(_endpoints(request.listeners))
    question = ApiVersionsRequest(client_software_name=SOFTWARE, client_software_version="4.3.1")
    quorum.peers.send(request.voter_id, endpoint, question, turn)
    return True


def on_question(quorum: Quorum, _: ApiVersionsRequest, __: Turn) -> ApiVersionsResponse:
    """Answer an ApiVersions request that another controller of this process sends.

    Between processes the listener answers it.
    """
    supported = quorum.identity.as_voter.k_raft_version_feature
    key = SupportedFeatureKey(
        name=KRAFT_VERSION,
        min_version=supported.min_supported_version,
        max_version=supported.max_supported_version,
    )
    return ApiVersionsResponse(supported_features=(key,))


def on_api_versions(quorum: Quorum, peer_id: int, response: Response | None, turn: Turn) -> bool:
    """Handle the supported versions of a new voter, or its failure to respond."""
    role = quorum.role
    change = role.change if isinstance(role, Leader) else None
    if change is None or change.offset >= 0 or not isinstance(change.request, AddRaftVoterRequest):
        return response is not None
    if change.request.voter_id != peer_id:
        return response is not None  # response to an earlier change
    if not isinstance(response, ApiVersionsResponse) or response.error_code:
        _finish(quorum, turn, ErrorCode.REQUEST_TIMED_OUT, _without_versions(response))
        return False
    supported = _supported(response)
    if (
        not supported.min_supported_version
        <= quorum.history.kraft_version
        <= (supported.max_supported_version)
    ):
        text = f"{_aborted(quorum, change.request)} since the {KRAFT_VERSION} range (min: "
        text += f"{supported.min_supported_version}, max: {supported.max_supported_version} "
        text += f"doesn't support the finalized version {quorum.history.kraft_version}"
        _finish(quorum, turn, ErrorCode.INVALID_REQUEST, text)
    elif not _is_caught_up(quorum, change.request, turn):
        text = f"{_aborted(quorum, change.request)} since it is lagging behind"
        _finish(quorum, turn, ErrorCode.REQUEST_TIMED_OUT, text)
    else:
        voter = _voter(quorum, change.request, supported)
        _write(quorum, change, quorum.voters.with_voter(voter), turn)
    return True


def _without_versions(response: Response | None) -> str:
    """Returns Kafka's message, without a voter's key, about a new voter that lists no versions.

    A voter that cannot be reached counts as BROKER_NOT_AVAILABLE.
    """
    error = ErrorCode.BROKER_NOT_AVAILABLE
    if isinstance(response, ApiVersionsResponse):
        error = ErrorCode(response.error_code)
    return f"Aborted add voter operation for since API_VERSIONS returned an error {error.name}"


def _aborted(quorum: Quorum, request: AddRaftVoterRequest) -> str:
    return f"Aborted add voter operation for {_named(quorum, _key(request))}"


def _supported(response: ApiVersionsResponse) -> VersionRange:
    for feature in response.supported_features:
        if feature.name == KRAFT_VERSION:
            return VersionRange(
                min_supported_version=feature.min_version, max_supported_version=feature.max_version
            )
    return VersionRange(min_supported_version=0, max_supported_version=0)


def _is_caught_up(quorum: Quorum, request: AddRaftVoterRequest, turn: Turn) -> bool:
    """True if the observer has been caught up once and still fetches."""
    role = leader_role(quorum.role)
    progress = role.observers.get(_key(request))
    return (
        progress is not None
        and progress.last_caught_up_wall_ms >= 0
        and turn.now_ms - progress.fetched_ms < OBSERVER_FRESH_MS
    )


def remove(quorum: Quorum, request: RemoveRaftVoterRequest, token: Any, turn: Turn) -> bool:
    """Handle RemoveRaftVoter (rule 10.52); returns True if it began a change.

    A leader may remove itself; it leads until that change is committed (rule 10.28).
    """
    refusal = _refusal(quorum, request)
    voters, key = quorum.voters, _key(request)
    if refusal is None and (not voters.includes(key) or len(voters.voters) == 1):
        named, others = _named(quorum, key), _listed(quorum, voters)
        text = f"Cannot remove voter {named} from the set of voters {others}"
        refusal = (ErrorCode.VOTER_NOT_FOUND, text)
    if refusal is not None:
        turn.replies += ((token, _reply(quorum, request, *refusal)),)
        return False
    timeout_ms = quorum.settings.controller_quorum_request_timeout_ms
    change = VoterChange(request, token, turn.now_ms + timeout_ms)
    _write(quorum, change, voters.without(key.node_id), turn)
    return True


def update(quorum: Quorum, request: UpdateRaftVoterRequest, turn: Turn) -> UpdateRaftVoterResponse:
    """Handle UpdateRaftVoter: a voter's new address and versions (rule 10.53).

    A record is written even if nothing changes. The response does not wait for the commit. At
    kraft.version 0 only the leader stores them, for the upgrade (golden A2).
    """
    error = _update_refusal(quorum, request)
    voter = Voter(
        voter_id=request.voter_id,
        voter_directory_id=request.voter_directory_id,
        endpoints=_endpoints(request.listeners),
        k_raft_version_feature=VersionRange(
            min_supported_version=request.k_raft_version_feature.min_supported_version,
            max_supported_version=request.k_raft_version_feature.max_supported_version,
        ),
    )
    if not error:
        _keep(quorum, voter, turn)
    return UpdateRaftVoterResponse(error_code=error, current_leader=_current_leader(quorum))


def _keep(quorum: Quorum, voter: Voter, turn: Turn) -> None:
    role = leader_role(quorum.role)
    if quorum.history.kraft_version == 0:
        role.describe(voter)
    else:
        records = (Voters(voters=quorum.voters.with_voter(voter).voters),)
        quorum.append(records, (0,), turn, is_control=True)


def _update_refusal(quorum: Quorum, request: UpdateRaftVoterRequest) -> ErrorCode:
    if request.cluster_id not in (None, quorum.identity.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    if request.current_leader_epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if request.current_leader_epoch > quorum.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not quorum.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    if not _describes_a_voter(quorum, request):
        return ErrorCode.INVALID_REQUEST
    unready = _unready(quorum, "updating")
    if unready is not None and not (
        unready[0] == ErrorCode.UNSUPPORTED_VERSION and quorum.identity.updates_static_voters
    ):
        return unready[0]
    supported = request.k_raft_version_feature
    supported_range = range(supported.min_supported_version, supported.max_supported_version + 1)
    if quorum.history.kraft_version not in supported_range:
        return ErrorCode.INVALID_REQUEST
    if not quorum.voters.includes(ReplicaKey(request.voter_id, request.voter_directory_id)):
        return ErrorCode.VOTER_NOT_FOUND
    return ErrorCode.NONE


def _describes_a_voter(quorum: Quorum, request: UpdateRaftVoterRequest) -> bool:
    """True if the request has all fields that a voters record needs, at a later kraft.version."""
    supported = request.k_raft_version_feature
    return (
        request.voter_id >= 0
        and request.voter_directory_id != ZERO_UUID
        and _names_listener(quorum, request.listeners)
        and 0 <= supported.min_supported_version <= supported.max_supported_version
    )


def _current_leader(quorum: Quorum) -> CurrentVoterLeader:
    endpoint = quorum.identity.endpoint if quorum.is_leader else quorum.leader_endpoint
    return CurrentVoterLeader(
        leader_id=quorum.leader_id,
        leader_epoch=quorum.epoch,
        host="" if endpoint is None else endpoint.host,
        port=0 if endpoint is None else endpoint.port,
    )


def _refusal(quorum: Quorum, request: ChangeRequest) -> Refusal | None:
    """Returns the error of the first failed check that AddRaftVoter and RemoveRaftVoter share."""
    cluster_id = quorum.identity.cluster_id
    if request.cluster_id not in (None, cluster_id):
        text = f'The given id "{request.cluster_id}" doesn\'t match the cluster id "{cluster_id}"'
        return ErrorCode.INCONSISTENT_CLUSTER_ID, text
    if not quorum.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, None
    verb = "Add" if isinstance(request, AddRaftVoterRequest) else "Remove"
    if request.voter_directory_id == ZERO_UUID or request.voter_id < 0:
        text = f"{verb} voter request didn't include a valid voter"
        return ErrorCode.INVALID_REQUEST, text
    if isinstance(request, AddRaftVoterRequest) and not _names_listener(quorum, request.listeners):
        return ErrorCode.INVALID_REQUEST, _without_listener(quorum, request.listeners)
    return _unready(quorum, "adding" if verb == "Add" else "removing")


def _unready(quorum: Quorum, verb: str) -> Refusal | None:
    """Refuses during another change, and before a record of this epoch is committed."""
    role, offset = leader_role(quorum.role), quorum.history.latest_offset
    if role.change is not None:
        text = "Request timed out waiting for leader to handle previous voter change request."
        return ErrorCode.REQUEST_TIMED_OUT, text
    if leading.known_high_watermark(quorum) == -1:
        text = "Request timed out waiting for leader to establish HWM and fence previous voter "
        return ErrorCode.REQUEST_TIMED_OUT, text + "changes."
    if quorum.history.kraft_version == 0:
        text = f"Cluster doesn't support {verb} voter because the kraft.version feature is 0"
        return ErrorCode.UNSUPPORTED_VERSION, text
    if offset >= quorum.high_watermark:
        text = "Request timed out waiting for voters to commit the latest voter change at "
        text += f"Optional[{offset}] with HWM {quorum.high_watermark}"
        return ErrorCode.REQUEST_TIMED_OUT, text
    return None


def _names_listener(quorum: Quorum, listeners: tuple[QuorumEndpoint, ...]) -> bool:
    return quorum.identity.endpoint.name in _by_name(listeners)


def _without_listener(quorum: Quorum, listeners: tuple[QuorumEndpoint, ...]) -> str:
    """Returns Kafka's message about a missing listener, with the text forms of its maps."""
    addresses = ", ".join(
        f"ListenerName({name})={listener.host}/<unresolved>:{listener.port}"
        for name, listener in _by_name(listeners).items()
    )
    return (
        f"Add voter request didn't include the endpoint (Endpoints(endpoints={{{addresses}}})) for "
        f"the default listener ListenerName({quorum.identity.endpoint.name})"
    )


def _write(quorum: Quorum, change: VoterChange, voters: VoterSet, turn: Turn) -> None:
    role = leader_role(quorum.role)
    before = quorum.voters
    batch = quorum.append((Voters(voters=voters.voters),), (0,), turn, is_control=True)
    leading.regroup(quorum, before, turn)
    role.begin_change(replace(change, offset=batch.last_offset))
    if isinstance(change.request, AddRaftVoterRequest) and not change.request.ack_when_committed:
        turn.replies += ((change.token, _reply(quorum, change.request, ErrorCode.NONE, None)),)
        role.end_change()


def on_commit(quorum: Quorum, turn: Turn) -> None:
    """Answer a committed change; a leader that is no longer a voter resigns (rule 10.26)."""
    role = quorum.role
    if not isinstance(role, Leader):
        return
    change = role.change
    if change is not None and 0 <= change.offset < quorum.high_watermark:
        _finish(quorum, turn, ErrorCode.NONE, None)
    if not quorum.is_voter and quorum.history.latest_offset < quorum.high_watermark:
        leading.resign(quorum, turn)


def expire(quorum: Quorum, turn: Turn) -> None:
    """Answer a voter change whose time is over."""
    role = quorum.role
    if isinstance(role, Leader) and deadline_ms(role) <= turn.now_ms:
        _finish(quorum, turn, ErrorCode.REQUEST_TIMED_OUT, "The request timed out.")


def deadline_ms(role: Leader) -> int:
    """Returns the time at which the pending change expires."""
    return NEVER_MS if role.change is None else role.change.expires_ms


def answer_abandoned(quorum: Quorum, turn: Turn) -> None:
    """Answer the pending change after a loss of leadership: its outcome is unknown."""
    change = quorum.take_abandoned()
    if change is None:
        return
    reply = _reply(
        quorum,
        change.request,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        "The leader has changed meanwhile.",
    )
    turn.replies += ((change.token, reply),)


def _finish(quorum: Quorum, turn: Turn, error: ErrorCode, message: str | None) -> None:
    change = leader_role(quorum.role).end_change()
    turn.replies += ((change.token, _reply(quorum, change.request, error, message)),)


def _reply(
    quorum: Quorum, request: ChangeRequest, error: ErrorCode, message: str | None
) -> Response:
    if error == ErrorCode.NONE and quorum.identity.says_none:
        message = error.name
    if isinstance(request, AddRaftVoterRequest):
        return AddRaftVoterResponse(error_code=error, error_message=message)
    return RemoveRaftVoterResponse(error_code=error, error_message=message)


def _key(request: ChangeRequest) -> ReplicaKey:
    return ReplicaKey(request.voter_id, request.voter_directory_id)


def _voter(quorum: Quorum, request: AddRaftVoterRequest, supported: VersionRange) -> Voter:
    return Voter(
        voter_id=request.voter_id,
        voter_directory_id=request.voter_directory_id,
        endpoints=_endpoints(request.listeners),
        k_raft_version_feature=supported,
    )


def _endpoints(listeners: tuple[QuorumEndpoint, ...]) -> tuple[VoterEndpoint, ...]:
    """Returns the endpoints in the order of Kafka's record, which is that of a HashMap."""
    by_name = _by_name(listeners)
    return tuple(
        VoterEndpoint(name=name, host=by_name[name].host, port=by_name[name].port)
        for name in in_sized_hash_order(by_name, len(listeners))
    )


def _by_name(listeners: tuple[QuorumEndpoint, ...]) -> dict[str, QuorumEndpoint]:
    """Returns the listeners by their names in capitals, as ListenerName.normalised spells them."""
    return {listener.name.upper(): listener for listener in listeners}


def _named(quorum: Quorum, key: ReplicaKey) -> str:
    return key.text(prints_optional=quorum.identity.prints_optional_ids)


def _listed(quorum: Quorum, voters: VoterSet) -> str:
    keys = (ReplicaKey(voter.voter_id, voter.voter_directory_id) for voter in voters.voters)
    return "[" + ", ".join(_named(quorum, key) for key in keys) + "]"
