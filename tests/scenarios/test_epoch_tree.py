"""Logs of replicas as positions in a tree of leader epochs."""

from kraftsim.scenarios.oracles.epoch_tree import EMPTY, EpochTree, Position


def forked():
    """Epoch 0 has 10 records; epoch 1 begins after 6 of them, epoch 2 after all."""
    tree = EpochTree()
    first = Position(tree.begin(0, EMPTY).epoch, 10)
    left = tree.begin(1, tree.cut(first, 6))
    right = tree.begin(2, first)
    return tree, first, Position(left.epoch, 9), Position(right.epoch, 12)


def test_a_log_has_what_it_began_with():
    tree, first, left, right = forked()

    assert tree.has(right, first)
    assert not tree.has(left, first)
    assert tree.has(left, Position(0, 6))


def test_two_logs_have_in_common_what_lies_before_their_fork():
    tree, _, left, right = forked()

    assert Position(0, 6) == tree.common(left, right)


def test_a_cut_log_ends_in_the_epoch_of_its_last_record():
    tree, _, left, _ = forked()

    assert Position(1, 8) == tree.cut(left, 8)
    assert Position(0, 4) == tree.cut(left, 4)
    assert EMPTY == tree.cut(left, 0)
