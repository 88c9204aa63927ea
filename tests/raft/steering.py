"""A state of a world that somebody had in mind: from there on, everything is looked at."""


def quorum_at(world, state, place):
    return world.steps.nodes[state.nodes[place]].quorum


def led(world, state, leader, follower):
    """`follower` helps `leader` to lead, and hears nothing of it."""

    def leads(state):
        return quorum_at(world, state, leader).is_leader

    for _ in range(9):
        (state, *_) = world.let(state, leader, ("loses_patience",))
        state = told_all(world, state, {leader, follower}, until=leads)
        if leads(state):
            return state
    raise AssertionError(f"{quorum_at(world, state, leader).role} does not lead")


def told_all(world, state, among, *, until=lambda state: False):
    """What those say to each other arrives, till they only repeat themselves."""
    seen = set()
    while state not in seen and not until(state):
        seen.add(state)
        heard = (
            there
            for place, happening in world.happenings(state)
            if place in among and speaker(world, happening) in among
            for there in world.let(state, place, happening)
        )
        state = next((there for there in heard if there not in seen), state)
    return state


def speaker(world, happening):
    match happening:
        case "hears", request:
            return world.steps.requests[request].sender
        case "is_told", line, _:
            return world.steps.place(world.steps.ends[line][1])
        case _:
            return None
