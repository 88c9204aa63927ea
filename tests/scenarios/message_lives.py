"""What happens to a cluster to whose brokers clients write, so that a planted bug shows."""

from tests.scenarios.request_worlds import begin
from tests.worlds import create_topic, pass_time

SESSION_S = 9
MIN_ISR = "min.insync.replicas"


def write_messages(world, **words):
    """A client writes three records to `written` every 200 ms, and half of the replies are lost."""
    create_topic(world, "written", (1, 2, 3))
    pass_time(world, 2)
    begin(world, "topic.write", {"name": "written", "every": "200ms", "records": 3, **words})


def messages(world):
    write_messages(world)
    pass_time(world, 3)


def messages_and_failovers(world):
    """Each broker leads once, and its replies are lost when it is killed."""
    write_messages(world, lost=0.5)
    for broker in (1, 2):
        pass_time(world, 2)
        world.agents[broker].kill()
        pass_time(world, 2 * SESSION_S)
        world.agents[broker].start()
        pass_time(world, SESSION_S)


def messages_beside_a_paused_follower(world):
    """It stays in the ISR: the pause is shorter than its lease."""
    write_messages(world, lost=0.0)
    pass_time(world, 2)
    world.agents[3].pause()
    pass_time(world, SESSION_S / 3)
    world.agents[3].resume()
    pass_time(world, 3)


def messages_below_min_isr(world):
    """One follower stays in the ISR until its lease expires, beside a client that does not wait."""
    begin(
        world, "config.set", {"name": "default", "resource": "broker", "key": MIN_ISR, "value": "3"}
    )
    write_messages(world, acks="leader")
    pass_time(world, 2)
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)


def messages_beside_a_follower_that_returns(world):
    """It is out of the ISR as the leader dies; then it copies in its own time."""
    write_messages(world)
    begin(world, "replica.stop", {"on": 3})
    pass_time(world, 48)
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    begin(world, "replica.slow", {"on": 3, "bytes_per_second": 3000})
    world.agents[3].fetcher_faults.stopped.clear()
    pass_time(world, 60)


def messages_and_a_power_cut(world):
    write_messages(world)
    pass_time(world, 2)
    begin(world, "log.lose_tail", {"on": 2, "for": "1s"})
    pass_time(world, SESSION_S)


def messages_of_a_leader_that_is_cut_off(world):
    """It writes alone, as its client does not wait for anybody, and gives that up later."""
    write_messages(world, acks="leader", refresh="60s")
    pass_time(world, 2)
    begin(world, "net.partition", {"on": 1, "for": "15s"})
    pass_time(world, 30)


def messages_and_retention(world):
    """Segments of ten seconds are deleted after a minute; brokers look every five minutes."""
    create_topic(world, "written", (1, 2, 3))
    for key, value in (("segment.ms", "10000"), ("retention.ms", "60000")):
        begin(world, "config.set", {"name": "written", "key": key, "value": value})
    pass_time(world, 2)
    begin(world, "topic.write", {"name": "written", "every": "5s"})
    pass_time(world, 700)
