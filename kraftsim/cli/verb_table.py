"""The first words of the command line: help texts, and the modules that add the arguments.

A module is imported only when its verb is parsed, because importing all of them takes longer than
the start of a service.
"""

VERBS = {
    "up": "run a cluster: controllers, simulated brokers and an HTTP service",
    "agent": "run simulated brokers that register with controllers at the given addresses",
    "storage": "make ids, format log directories, show features, as Kafka's kafka-storage does",
    "cluster": "show the cluster; Kafka's kafka-cluster: list, unregister, decommission nodes",
    "quorum": "show the quorum, transfer its leadership",
    "quorum-tool": "describe the quorum in the lines of Kafka's kafka-metadata-quorum",
    "controller": (
        "list, show, kill, start, pause and resume controllers; add and remove voters; run a "
        "controller as a process"
    ),
    "broker": "list, show, add, stop, kill, pause, resume, restart, mute and deafen brokers",
    "node": "list, show, stop, kill, pause, resume and restart nodes that run code of your own",
    "topic": "list, describe, read, create, alter and delete topics; elect their leaders",
    "reassignment": "list, start and cancel reassignments of replicas",
    "config": "show and change configurations of topics, brokers, groups and client metrics",
    "request": "list and count the requests of clients",
    "log": "read the metadata log",
    "wait": "wait until a broker is in a state, or until a controller is active",
    "clock": "show, advance, pause, resume, lock and unlock the clock, and set its speed",
    "reset": "replace the cluster by a new one with the same options, addresses and seed",
    "fault": "add, list, show, wait for and remove faults of the running cluster",
    "snapshot": "save, list, restore and remove snapshots of the cluster; show what would follow",
    "scene": "show who leads, who has a lease, who believes what, and messages since a number",
    "story": "show the events of the cluster in sentences",
    "lesson": "list lessons; show the story, pictures and causes of one; steer and release a class",
    "down": "end the `kraftsim up` that serves the cluster",
    "doctor": "check this machine and a running cluster, and say what to do next",
    "events": "print the events of the cluster, one per line",
    "follow": (
        "print broker state changes, leases and availability as a metadata log grows, through Spark"
    ),
    "scenario": "run, list, show, check, shrink and create scenarios of faults in virtual time",
    "completion": "print a script with which a shell completes words and options",
    "explain": "print the causes of an event, such as a fence or an election",
    "replay": "live through the recording of a failed test again, and compare what happens",
    "campaign": (
        "run scenarios with thousands of seeds through Spark and store the results as tables"
    ),
}

# MODULE:FUNCTION, relative to this package. The function receives the verb's parser and adds the
# arguments, the verbs of a group, and `run`, the function that runs the verb.
ADDERS = {
    "up": "service_verbs:add_up",
    "agent": "service_verbs:add_agent",
    "storage": "storage.verbs:add_storage",
    "follow": "log.follow:add_follow",
    "doctor": "doctor.verb:add_doctor",
    "scenario": "scenario.verbs:add_scenario_verbs",
    "completion": "completion.verb:add_completion",
    "explain": "explain_verb:add_explain",
    "replay": "replay_verb:add_replay",
    "campaign": "campaign.verbs:add_campaign_verbs",
}
OPERATIONS_ADDER = "operation_verbs:add_operations"  # of every verb that ADDERS does not name
