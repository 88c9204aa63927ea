"""Topics of thousands of partitions: results that fill one batch, several, or too many."""

from tests.differential.generate import brokers, topics
from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Step

_BATCH = 10_000  # records of one batch, and of one operation's result (rule 0A.7)
_WITH_ONE_MORE = _BATCH - 1  # partitions whose changes and one other record fill a batch
_FILLERS = (6_000, _WITH_ONE_MORE, 4_500)


def draw_big(draft: Draft) -> list[Step]:
    """Two brokers with big topics; one of them leaves and comes back in some way.

    The request assigns the partitions: a placement of thousands cannot be drawn again. A heartbeat
    follows each slow request, so that no lease ends on one side and holds on the other."""
    leaving, staying = draft.broker_ids(2)
    steps = _two_brokers(draft, leaving, staying)
    for number in range(draft.random.randint(1, 2)):
        steps.append(_create(draft, f"{draft.prefix}big{number}", [leaving, staying]))
        steps += [brokers.serve(draft, staying), brokers.serve(draft, leaving)]
    draft.standing.clear()  # no request about single partitions of these
    for _ in range(draft.random.randint(2, 4)):
        steps.append(_leave(draft, leaving))
        steps += [brokers.serve(draft, staying), brokers.serve(draft, leaving)]
    return steps


def unregister_with_a_full_batch(draft: Draft) -> list[Step]:
    """An unregistration of 10,000 records (rule 0A.7)."""
    steps, leaving, _ = _before_a_full_batch(draft)
    return [*steps, Ask("UnregisterBroker", 0, {"brokerId": leaving})]


def lose_a_directory_with_a_full_batch(draft: Draft) -> list[Step]:
    """A heartbeat with an offline directory, of 10,000 records (rule 0A.7)."""
    steps, _, serve = _before_a_full_batch(draft)
    offline = {"offlineLogDirs": [draft.directory(draft.ids[0])]}
    return [*steps, Ask("BrokerHeartbeat", 1, serve.body | offline)]


def _before_a_full_batch(draft: Draft) -> tuple[list[Step], int, Ask]:
    """Return the steps, the broker that 9,999 partitions lose next, and its last heartbeat."""
    leaving, staying = draft.ids[:2]
    steps = _two_brokers(draft, leaving, staying)
    replicas = [[leaving, staying]] * _WITH_ONE_MORE
    steps.append(topics.create_plainly(draft, f"{draft.prefix}big", replicas))
    serve = brokers.serve(draft, leaving)
    return [*steps, brokers.serve(draft, staying), serve], leaving, serve


def _two_brokers(draft: Draft, *broker_ids: int) -> list[Step]:
    steps: list[Step] = []
    for broker_id in broker_ids:
        draft.incarnations[broker_id] = draft.incarnations.get(broker_id, -1) + 1
        steps.append(Ask("BrokerRegistration", 4, brokers.plain_registration(draft, broker_id)))
        steps.append(brokers.serve(draft, broker_id))
    return steps


def _create(draft: Draft, name: str, replicas: list[int]) -> Ask:
    """With its topic's record, a creation of 10,000 partitions is one record too large."""
    count = draft.one_of(*_FILLERS, _BATCH)
    return topics.create_plainly(draft, name, [replicas] * count)


def _leave(draft: Draft, broker_id: int) -> Ask:
    serve = brokers.serve(draft, broker_id).body
    return draft.one_of(
        Ask("BrokerHeartbeat", 1, serve | {"wantFence": True}),
        Ask("BrokerHeartbeat", 1, serve | {"offlineLogDirs": [draft.directory(broker_id)]}),
        Ask("UnregisterBroker", 0, {"brokerId": broker_id}),
        brokers.register_another(draft, broker_id),
    )
