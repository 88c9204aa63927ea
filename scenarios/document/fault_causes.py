"""What each verb of a fault stands for in a real cluster, with tickets and proposals of Kafka."""

from collections.abc import Mapping
from typing import NamedTuple


class Cause(NamedTuple):
    """A cause in a real cluster, and Kafka's tickets and KIPs that describe such a case."""

    text: str
    sources: tuple[str, ...] = ()


CAUSES: Mapping[str, Cause] = {
    "quorum.transfer": Cause("an operator moves leadership before maintenance", ("KAFKA-20895",)),
    "quorum.forget": Cause(
        "a failover: a new active controller knows no heartbeats", ("KAFKA-18138", "KAFKA-18106")
    ),
    "client.hostile": Cause("a scanner or a broken client finds the port of a controller"),
    "load.flood": Cause("a deployment or a test creates topics in a loop", ("KIP-599",)),
    "clock.step": Cause("NTP steps a wall clock after a long drift", ("KIP-836",)),
    "clock.drift": Cause("an oscillator runs too fast or too slow"),
    "clock.freeze": Cause("a hypervisor stops the clock of a guest"),
    "clock.coarse": Cause("a machine with a coarse timer"),
    "clock.suspend": Cause("a virtual machine is suspended or migrated", ("KIP-595",)),
    "clock.strobe": Cause("two time servers disagree, and NTP follows both in turn"),
    "disk.slow": Cause("a worn, shared or throttled disk"),
    "disk.stall": Cause("a controller of disks resets; a network volume hangs"),
    "disk.lost_fsync": Cause("a disk or hypervisor reports writes that are in its cache only"),
    "disk.torn": Cause("power fails during a write"),
    "disk.rot": Cause("a sector of the disk of a controller is damaged"),
    "disk.fail_directory": Cause(
        "one of a broker's disks fails (JBOD)", ("KIP-858", "KAFKA-15362", "KAFKA-16234")
    ),
    "disk.full": Cause(
        "the volume of the metadata log or of messages is full", ("KAFKA-14104", "KIP-112")
    ),
    "log.corrupt": Cause("a sector of the disk of a broker is damaged"),
    "log.lose_tail": Cause("a machine loses power: the page cache is gone", ("KIP-966",)),
    "replica.stop": Cause(
        "a fetcher thread hangs, or ends with an exception", ("KAFKA-7414", "KAFKA-10706")
    ),
    "replica.slow": Cause("a saturated disk or network card of a broker"),
    "net.partition": Cause("a switch or a firewall rule separates nodes", ("KIP-996",)),
    "net.hold": Cause("a link is jammed, and TCP delivers everything later"),
    "net.loss": Cause("a congested or damaged link", ("KAFKA-19294",)),
    "net.delay": Cause("a congested link, or a detour", ("KAFKA-15950",)),
    "net.duplicate": Cause("a client repeats a request after a timeout", ("KAFKA-16952",)),
    "net.surgery": Cause("a message is lost or repeated at the worst moment"),
    "net.heal": Cause("the network is repaired"),
    "net.flap": Cause("a loose cable, or a route that changes again and again"),
    "net.swizzle": Cause("machines of a rack lose their network and get it back in another order"),
    "broker.install": Cause("a rolling upgrade, or its rollback", ("KAFKA-17492", "KIP-584")),
    "controller.install": Cause("an upgrade of the controllers, or its rollback", ("KIP-1312",)),
    "proc.crash": Cause("the kernel kills a process without memory; a machine loses power"),
    "proc.stop": Cause("an operator stops a process in good order", ("KAFKA-14292",)),
    "proc.start": Cause("an operator or systemd starts a process"),
    "proc.restart": Cause("a process restarts within its lease", ("KAFKA-19047", "KAFKA-19130")),
    "proc.pause": Cause(
        "a long garbage collection, or SIGSTOP", ("KAFKA-15019", "KAFKA-17793", "KIP-631")
    ),
    "proc.amnesia": Cause("a node returns with a new disk", ("KIP-853",)),
    "proc.clone": Cause("two processes are configured with one id", ("KIP-631",)),
    "proc.hiccup": Cause("garbage collections that follow each other", ("KAFKA-15019",)),
    "proc.crashloop": Cause("a supervisor restarts a process that fails at its start"),
    "proc.slow": Cause("a controller without enough CPU", ("KAFKA-15019",)),
    "rpc.error": Cause("a controller that refuses: overloaded, or no longer active"),
    "rpc.drop": Cause(
        "a connection breaks before the request or after the reply was sent",
        ("KAFKA-19294", "KAFKA-16952"),
    ),
    "rpc.delay": Cause("a long queue of requests in the controller", ("KAFKA-15950",)),
    "rpc.reorder": Cause("requests of many connections overtake each other in a queue"),
    "rpc.duplicate": Cause("a client repeats a request whose reply was lost", ("KAFKA-16952",)),
    "rpc.hold": Cause("a pause at one exact moment, to build a race"),
    "rpc.observe": Cause("nothing: it counts"),
    "rpc.close": Cause("a load balancer closes connections; a listener restarts"),
    "rpc.truncate": Cause("a process ends while it writes a reply"),
    "rpc.corrupt": Cause("a defect of memory or of a network card"),
    "rpc.throttle": Cause("a quota on requests is exceeded", ("KIP-599",)),
    "rpc.transfer": Cause("leadership moves while a request is on its way", ("KAFKA-20895",)),
    "rpc.forget": Cause("a failover between two heartbeats", ("KAFKA-18138", "KAFKA-18106")),
}
