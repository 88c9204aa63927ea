"""What the releases of all controllers of a world have in common."""

from kraftsim.simulation.world import World


def clean_up_at_registration(world: World) -> bool:
    """Returns True if a registration removes the previous incarnation from ISRs, whoever leads.

    The committed log does not say which controller decided (rule 1.37).
    """
    processes = world.controllers.values()
    return all(process.node.profile.cleans_up_at_registration for process in processes)
