"""Expected descriptions of the committed log (rules 4.5, 5.8, 5.14; KIP-226).

DescribeConfigs, DescribeAcls, ListPartitionReassignments and DescribeCluster at a controller.
"""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core import rpc

from ..oracles.breach_words import words
from ..oracles.log_configs import MIN_ISR, UNCLEAN
from ..oracles.shadow import Fact
from . import configs
from .ask import Ask, Draw, refused
from .brokers import STRANGER, UNSUPPORTED_VERSION
from .features import CONTROLLERS_FROM
from .security import ANY, LITERAL, PREFIXED, SECURITY_DISABLED
from .view import View

READS = (
    rpc.DescribeConfigsRequest,
    rpc.DescribeAclsRequest,
    rpc.ListPartitionReassignmentsRequest,
    rpc.DescribeClusterRequest,
)
MISMATCHED_ENDPOINT_TYPE, UNSUPPORTED_ENDPOINT_TYPE = 114, 115
BROKER_ENDPOINT, CONTROLLER_ENDPOINT = 1, 2
OWN_SOURCES = {configs.TOPIC: 1, configs.METRICS: 7, configs.GROUP: 8}
CLUSTER_DEFAULT, STATIC, DEFAULT = 3, 4, 5
MATCH = 2
LISTENER = "CONTROLLER"
# The fields of an entry, those of its pattern first, each with the filter that selects every value.
ACL_FILTERS: tuple[tuple[str, int | None], ...] = (
    ("resource_type", ANY),
    ("resource_name", None),
    ("pattern_type", ANY),
    ("principal", None),
    ("host", None),
    ("operation", ANY),
    ("permission_type", ANY),
)


def _configs(
    kind: int, name: str, *keys: str, includes_synonyms: bool = False
) -> rpc.DescribeConfigsRequest:
    resource = rpc.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=keys or None
    )
    return rpc.DescribeConfigsRequest(resources=(resource,), include_synonyms=includes_synonyms)


def _describe(what: str, request: Any, wrong: Callable[[Any], str | None]) -> Ask:
    return Ask(what, request, flaw=lambda done: wrong(done.reply))


def _describe_topic(view: View, turn: int) -> Ask | None:
    if not view.topics:
        return None
    name = str(view.topics[turn % len(view.topics)][1]["name"])
    own = view.shadow.facts.get(("Config", configs.TOPIC, name), {})
    keys = () if turn % 3 else (MIN_ISR, *own)
    request = _configs(configs.TOPIC, name, *keys, includes_synonyms=turn % 2 == 1)

    def wrong(reply: Any) -> str | None:
        entries = {entry.name: entry for entry in reply.results[0].configs}
        if keys and {*entries} != {*keys}:
            return f"it describes {words(sorted(entries))}, expected {words(sorted(keys))}"
        return (
            _wrong_own(entries, configs.TOPIC, own)
            or _wrong_synonyms(request, entries, own)
            or _wrong_defaults(view, entries, own)
        )

    return _describe("the configurations of a topic", request, wrong)


def _wrong_own(entries: dict[str, Any], kind: int, own: Fact) -> str | None:
    """Returns the error in the values that are set for the resource itself."""
    source = OWN_SOURCES[kind]
    for name, value in own.items():
        entry = entries.get(name)
        if entry is None or entry.config_source != source or not _is_shown(value, entry.value):
            return f"{name} is {words(entry)}, expected {words(value)} of source {source}"
    others = [name for name, entry in entries.items() if entry.config_source == source]
    return (
        None
        if {*others} <= {*own}
        else f"{words(others)} have source {source}, expected {words(sorted(own))}"
    )


def _is_shown(text: object, shown: str | None) -> bool:
    """Returns True if a description shows a value in the form of its type: TRUE as true."""
    given = ",".join(dict.fromkeys(part.strip() for part in str(text).split(",")))
    shown = ",".join(dict.fromkeys((shown or "").split(",")))  # 4.3 shows each element once
    if given == shown or given.lower() == shown:
        return True
    try:
        return float(given) == float(shown)
    except ValueError:
        return False


def _wrong_synonyms(
    request: rpc.DescribeConfigsRequest, entries: dict[str, Any], own: Fact
) -> str | None:
    for name, entry in entries.items():
        sources = [synonym.source for synonym in entry.synonyms]
        if not request.include_synonyms and sources:
            return f"{name} has synonyms, which the request did not ask for"
        if request.include_synonyms and name in own and sources[:1] != [entry.config_source]:
            return f"the first synonym of {name} has another source: {words(entry)}"
        if sources != sorted(sources):
            return f"the synonyms of {name} are not in the order of their sources: {words(entry)}"
    return None


def _wrong_defaults(view: View, entries: dict[str, Any], own: Fact) -> str | None:
    """Returns the error in the values that come from the cluster or the node (rule 4.5)."""
    settings = {
        MIN_ISR: str(view.settings.min_insync_replicas),
        UNCLEAN: str(view.settings.unclean_leader_election_enable).lower(),
    }
    of_node = view.shadow.facts.get(("Config", configs.BROKER, str(view.node_id)), {})
    of_cluster = _of_cluster(view)
    for name in {*settings} & {*entries} - {*own} - {*of_node}:
        entry, set_for_all = entries[name], of_cluster.get(name)
        is_static = set_for_all is None
        sources = (STATIC, DEFAULT) if is_static else (CLUSTER_DEFAULT,)
        value = settings[name] if is_static else set_for_all
        if entry.config_source not in sources or not _is_shown(value, entry.value):
            return f"{name} is {words(entry)}, expected {words(value)} of source {words(sources)}"
    return None


def _of_cluster(view: View) -> Fact:
    """Returns the cluster's configurations without an invalid min ISR, which is ignored (4.65)."""
    found = view.shadow.facts.get(("Config", configs.BROKER, ""), {})
    return {name: value for name, value in found.items() if name != MIN_ISR or _is_min_isr(value)}


def _is_min_isr(text: object) -> bool:
    try:
        return int(str(text)) >= 1
    except ValueError:
        return False


def _describe_cluster_configs(view: View, turn: int) -> Ask:
    own = _of_cluster(view)

    def wrong(reply: Any) -> str | None:
        for entry in reply.results[0].configs:
            if entry.name not in own or entry.config_source != CLUSTER_DEFAULT:
                return f"{words(entry)} is not among {words(own)}"
            if entry.value not in (None, own[entry.name]):
                return f"{entry.name} is {words(entry.value)}, expected {words(own[entry.name])}"
        names = {entry.name for entry in reply.results[0].configs}
        return None if MIN_ISR not in own or MIN_ISR in names else f"{MIN_ISR} is missing"

    return _describe("the configurations of all brokers", _configs(configs.BROKER, ""), wrong)


def _describe_others(view: View, turn: int) -> Ask:
    """The configurations of a group or of client metrics."""
    kind = configs.METRICS if turn % 2 or not view.profile.has_group_configs else configs.GROUP
    known = [str(key[2]) for key in view.shadow.of("Config") if key[1] == kind]
    name = known[turn % len(known)] if known else "asked"
    own = view.shadow.facts.get(("Config", kind, name), {})

    def wrong(reply: Any) -> str | None:
        entries = {entry.name: entry for entry in reply.results[0].configs}
        return _wrong_own(entries, kind, own)

    return _describe("the configurations of a group or of metrics", _configs(kind, name), wrong)


def _describe_wrongly(view: View, turn: int) -> Ask:
    wrong = (
        ("an unknown topic", configs.TOPIC, "nobody", configs.UNKNOWN_TOPIC_OR_PARTITION),
        ("a topic with a slash", configs.TOPIC, "a/b", configs.INVALID_TOPIC_EXCEPTION),
        ("a type that does not exist", configs.UNKNOWN, "asked", configs.INVALID_REQUEST),
        ("another node", configs.BROKER, str(STRANGER), configs.INVALID_REQUEST),
        ("a broker with letters", configs.BROKER, "one", configs.INVALID_REQUEST),
        ("loggers of another node", configs.LOGGER, str(STRANGER), configs.INVALID_REQUEST),
        ("loggers of nobody", configs.LOGGER, "", configs.INVALID_REQUEST),
        ("metrics without a name", configs.METRICS, "", configs.INVALID_REQUEST),
        ("a group without a name", configs.GROUP, "", configs.INVALID_REQUEST),
    )
    words, kind, name, code = wrong[turn % len(wrong)]
    return refused(f"the configurations of {words}", _configs(kind, name), code)


def _describe_acls(view: View, turn: int) -> Ask:
    """The entries of a resource, a principal or an operation, or all of them."""
    known = sorted(view.shadow.of("Access").values(), key=lambda fact: bytes(fact["id"]))
    field, every = ACL_FILTERS[turn % len(ACL_FILTERS)]
    wanted: dict[str, Any] = dict(ACL_FILTERS)
    if known and turn % (len(ACL_FILTERS) + 1):
        wanted[field] = known[turn % len(known)][field]
    request = rpc.DescribeAclsRequest(
        resource_type_filter=wanted["resource_type"],
        resource_name_filter=wanted["resource_name"],
        pattern_type_filter=wanted["pattern_type"],
        principal_filter=wanted["principal"],
        host_filter=wanted["host"],
        operation=wanted["operation"],
        permission_type=wanted["permission_type"],
    )
    expected = [fact for fact in known if wanted[field] in (every, fact[field])]
    return _acls(view, f"access control entries by {field}", request, expected)


def _match_acls(view: View, turn: int) -> Ask:
    """The entries that match a resource: by its name, by `*`, or by a prefix (KIP-290)."""
    name = ("orders", "asked-1", "*", "o")[turn % 4]
    request = rpc.DescribeAclsRequest(
        resource_type_filter=ANY,
        resource_name_filter=name,
        pattern_type_filter=MATCH,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    expected = [
        fact
        for fact in view.shadow.of("Access").values()
        if (fact["pattern_type"] == LITERAL and fact["resource_name"] in (name, "*"))
        or (fact["pattern_type"] == PREFIXED and name.startswith(fact["resource_name"]))
    ]
    return _acls(view, f"access control entries that match {name}", request, expected)


def _acls(view: View, what: str, request: rpc.DescribeAclsRequest, expected: list[Fact]) -> Ask:
    if not view.settings.authorizer_class_name:
        return refused(what, request, SECURITY_DISABLED)

    def wrong(reply: Any) -> str | None:
        got = sorted(
            (
                resource.resource_type,
                resource.resource_name,
                resource.pattern_type,
                *(getattr(entry, name) for name, _ in ACL_FILTERS[3:]),
            )
            for resource in reply.resources
            for entry in resource.acls
        )
        wanted = sorted({tuple(fact[name] for name, _ in ACL_FILTERS) for fact in expected})
        return None if got == wanted else f"it describes {words(got)}, expected {words(wanted)}"

    return _describe(what, request, wrong)


def _list_reassignments(view: View, turn: int) -> Ask:
    expected = sorted(
        (view.topic_of(key), key[2], *(fact[name] for name in _REASSIGNED))
        for key, fact in view.partitions
        if fact["adding_replicas"] or fact["removing_replicas"]
    )

    def wrong(reply: Any) -> str | None:
        got = sorted(
            (topic.name, found.partition_index, *(getattr(found, name) for name in _REASSIGNED))
            for topic in reply.topics
            for found in topic.partitions
        )
        return None if got == expected else f"it lists {words(got)}, expected {words(expected)}"

    return _describe("all reassignments", rpc.ListPartitionReassignmentsRequest(), wrong)


_REASSIGNED = ("replicas", "adding_replicas", "removing_replicas")


def _describe_cluster(view: View, turn: int) -> Ask:
    kind = (CONTROLLER_ENDPOINT, BROKER_ENDPOINT, 7)[turn % 3]
    request = rpc.DescribeClusterRequest(endpoint_type=kind)
    if view.level < CONTROLLERS_FROM:
        return refused("the controllers of an old cluster", request, UNSUPPORTED_VERSION)
    if kind != CONTROLLER_ENDPOINT:
        code = MISMATCHED_ENDPOINT_TYPE if kind == BROKER_ENDPOINT else UNSUPPORTED_ENDPOINT_TYPE
        return refused(f"endpoints of type {kind}", request, code)
    expected = {
        (fact["controller_id"], endpoint.host, endpoint.port)
        for fact in view.shadow.of("Controller").values()
        for endpoint in fact["end_points"]
        if endpoint.name == LISTENER
    }
    is_listed = any(node_id == view.node_id for node_id, _, _ in expected)  # rule 5.12
    leader = view.cluster_id, view.node_id if is_listed else -1

    def wrong(reply: Any) -> str | None:
        got = {(node.broker_id, node.host, node.port) for node in reply.brokers}
        if (told := (reply.cluster_id, reply.controller_id)) != leader:
            return f"it tells of {words(told)}, expected {words(leader)}"
        return None if got == expected else f"it describes {words(got)}, expected {words(expected)}"

    return _describe("the controllers", request, wrong)


DRAWS: tuple[Draw, ...] = (
    _describe_topic,
    _describe_cluster_configs,
    _describe_others,
    _describe_wrongly,
    _describe_acls,
    _match_acls,
    _list_reassignments,
    _describe_cluster,
)
