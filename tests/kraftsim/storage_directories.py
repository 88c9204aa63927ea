"""Log directories of a node, for tests of what `storage info` finds in them."""

from pathlib import Path

FORMATTED = "version=1\ncluster.id=a\nnode.id=1\n"
# Name -> the text of meta.properties in each directory; None: not formatted.
DIRECTORIES: dict[str, tuple[str | None, ...]] = {
    "one": (FORMATTED + "directory.id=mKYeLdkBTUOBuRHvs7xgjg\n",),
    "two of one node": (FORMATTED, FORMATTED),
    "an unknown key": ("version=1\ncluster.id=a b\\\n  c\nnode.id=5\nfoo=bar\n",),
    "not formatted": (None, None),
    "one of two": (FORMATTED, None),
    "two clusters": (FORMATTED, FORMATTED.replace("cluster.id=a", "cluster.id=b")),
    "two nodes": (FORMATTED, FORMATTED.replace("node.id=1", "node.id=2")),
    "of ZooKeeper": ("version=0\nbroker.id=1\ncluster.id=abc\n",),
    "empty": ("",),
    "without a cluster": ("version=1\nnode.id=1\n",),
    "without a node": ("version=1\ncluster.id=a\n",),
    "another version": ("version=2\ncluster.id=a\n",),
    "no number": ("version=1\ncluster.id=a\nnode.id=x\n", FORMATTED),
}


def made(folder: Path, texts: tuple[str | None, ...]) -> Path:
    """Makes the directories, and one that is missing beside several; returns the properties."""
    names = [folder / f"data{number}" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        name.mkdir(parents=True)
        if text is not None:
            (name / "meta.properties").write_text(text, "utf-8")
    missing = [folder / "missing"] if len(texts) > 1 else []
    properties = folder / "node.properties"
    properties.write_text(
        "process.roles=controller\nnode.id=1\ncontroller.quorum.bootstrap.servers=127.0.0.1:9990\n"
        "listeners=CONTROLLER://127.0.0.1:9990\ncontroller.listener.names=CONTROLLER\n"
        f"log.dirs={','.join(map(str, [*names, *missing]))}\n",
        "utf-8",
    )
    return properties
