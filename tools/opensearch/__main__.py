"""`python -m tools.opensearch`: start, look at and stop an OpenSearch on this machine."""

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tools.opensearch.cluster import Cluster
from tools.opensearch.distribution import distribution
from tools.opensearch.errors import OpenSearchNotStarted
from tools.opensearch.folders import home, locked
from tools.opensearch.layout import Layout
from tools.opensearch.processes import exists


def main(arguments: list[str] | None = None) -> int:
    """Return the exit status of the command."""
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the cleanup runs
    try:
        COMMANDS[options.command](options)
    except OpenSearchNotStarted as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m tools.opensearch", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    helps = {
        "fetch": "fetch the server, if that wasn't done",
        "start": "start nodes in the background and wait until they are green",
        "run": "start nodes, and stop them and remove their data when this command ends",
        "stop": "stop the nodes and remove their data",
        "status": "show every cluster and the processes of its nodes",
        "kill-node": "end a node as a crash does (signal 9)",
        "start-node": "start a node that was killed",
    }
    made = {name: commands.add_parser(name, help=text, description=text) for name, text in helps.items()}
    for name in ("start", "run", "stop", "kill-node", "start-node"):
        made[name].add_argument("--name", default="dev", help="of the cluster (dev)")
    for name in ("start", "run"):
        made[name].add_argument("--nodes", type=int, default=1, help="how many (1)")
        made[name].add_argument("--port", type=int, default=9200, help="of the first node (9200); 0: any free")
    for name in ("kill-node", "start-node"):
        made[name].add_argument("node", type=int, help="its number, from 0")
    made["stop"].add_argument("--keep", action="store_true", help="keep the data for another start")
    made["run"].add_argument("--report", type=Path, help="a JSON file that gets the addresses, or the error")
    made["run"].add_argument("--while-process", type=int, help="end when this process does")
    return top


def fetch(_: argparse.Namespace) -> None:
    """Print where the server is, which is fetched before if need be."""
    print(distribution())


def start(options: argparse.Namespace) -> None:
    """Start the nodes, or those that don't run, and print their addresses."""
    distribution()  # before the lock, so that who stops another cluster doesn't wait
    with locked(home() / "clusters.lock"):
        if options.name in Cluster.names():
            cluster = Cluster.open(options.name)
            if len(cluster.nodes) != options.nodes:
                raise OpenSearchNotStarted(f"Cluster {options.name!r} has {len(cluster.nodes)} node(s): stop it first.")
        else:
            cluster = Cluster.make(Layout.make(options.name, options.nodes, options.port))
        cluster.start_all()
    cluster.wait_for("green", nodes=options.nodes)
    print(*cluster.urls, sep="\n")


def run(options: argparse.Namespace) -> None:
    """Hold a cluster as long as this process lives, or the one that it shall follow."""
    try:
        distribution()
        with locked(home() / "clusters.lock"):
            cluster = Cluster.make(Layout.make(options.name, options.nodes, options.port))
        try:
            cluster.start_all()
            cluster.wait_for("green", nodes=options.nodes)
            print(*cluster.urls, sep="\n", flush=True)
            report(options.report, {"urls": cluster.urls})
            while options.while_process is None or exists(options.while_process):
                time.sleep(0.2)
        finally:
            cluster.stop()
    except OpenSearchNotStarted as error:
        report(options.report, {"error": str(error)})
        raise


def report(file: Path | None, outcome: dict[str, Any]) -> None:
    """Put the outcome into the file, if there shall be one, in one step: a reader sees all of it or
    none.
    """
    if file is not None:
        beside = file.with_name(f"{file.name}.new")
        beside.write_text(json.dumps(outcome), encoding="utf-8")
        beside.rename(file)


def stop(options: argparse.Namespace) -> None:
    """Stop a cluster, if it runs."""
    if options.name in Cluster.names():
        Cluster.open(options.name).stop(keep=options.keep)


def status(_: argparse.Namespace) -> None:
    """Print each cluster with its health, and a line for each node."""
    for name in Cluster.names():
        cluster = Cluster.open(name)
        health = cluster.health()
        print(f"{name}: {health['status'] if health else 'no answer'}")
        for node in cluster.nodes:
            print(f"  node {node}  {cluster.urls[node]}  {'runs' if node in cluster.running() else 'does not run'}")


def kill_node(options: argparse.Namespace) -> None:
    """End a node with signal 9."""
    Cluster.open(options.name).kill(options.node)


def start_node(options: argparse.Namespace) -> None:
    """Start a node again, and don't wait."""
    Cluster.open(options.name).start(options.node)


COMMANDS = {
    "fetch": fetch,
    "start": start,
    "run": run,
    "stop": stop,
    "status": status,
    "kill-node": kill_node,
    "start-node": start_node,
}

if __name__ == "__main__":
    sys.exit(main())
