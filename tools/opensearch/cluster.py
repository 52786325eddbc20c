"""A cluster of real nodes on this machine: start, wait, kill, stop. Each lives in a folder, so that
any process can act on it.
"""

import os
import pwd
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from tools.opensearch import processes
from tools.opensearch.ask import ask
from tools.opensearch.components import read_components
from tools.opensearch.distribution import distribution
from tools.opensearch.errors import OpenSearchNotStarted
from tools.opensearch.folders import home, open_folder
from tools.opensearch.jdk import find_jdk
from tools.opensearch.layout import Layout

START_SECONDS = 240.0
CHANGES_JAVA = ("CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


class Cluster:
    """The nodes of a layout in a folder; those that this object started are waited for when they
    end.

    Use `Cluster.make` for a new one, `Cluster.open` for one that another process made.
    """

    def __init__(self, folder: Path, layout: Layout) -> None:
        self.folder = folder
        self.layout = layout
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    @classmethod
    def make(cls, layout: Layout) -> "Cluster":
        """Return a new cluster of which no node runs yet.

        :raises OpenSearchNotStarted: if there is one of this name.
        """
        folder = cls.place(layout.name)
        if folder.exists():
            raise OpenSearchNotStarted(f"There is a cluster {layout.name!r} in {folder}: stop it first.")
        open_folder(folder)
        (folder / "layout.json").write_text(layout.to_json(), encoding="utf-8")
        return cls(folder, layout)

    @classmethod
    def open(cls, name: str) -> "Cluster":
        """Return the cluster of this name.

        :raises OpenSearchNotStarted: if there is none.
        """
        folder = cls.place(name)
        try:
            text = (folder / "layout.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise OpenSearchNotStarted(f"There is no cluster {name!r} in {folder.parent}.") from None
        return cls(folder, Layout.from_json(text))

    @staticmethod
    def place(name: str) -> Path:
        """Return the folder of the cluster of this name."""
        return open_folder(home() / "clusters") / name

    @staticmethod
    def names() -> list[str]:
        """Return the names of all clusters, running or not."""
        return sorted(path.parent.name for path in (home() / "clusters").glob("*/layout.json"))

    @property
    def urls(self) -> list[str]:
        """Return the address of each node, running or not."""
        return self.layout.urls

    @property
    def nodes(self) -> range:
        """Return the numbers of the nodes."""
        return range(len(self.layout.http))

    def running(self) -> list[int]:
        """Return the numbers of the nodes whose processes live."""
        return [node for node in self.nodes if self._pid(node) is not None]

    def start(self, node: int) -> None:
        """Start a node, for the first time or after it was killed, and don't wait for it.

        :raises OpenSearchNotStarted: if it runs, or the server can't be had.
        """
        if self._pid(node) is not None:
            raise OpenSearchNotStarted(f"Node {node} of {self.layout.name!r} runs already.")
        server = distribution()
        java = find_jdk(read_components().java_min) / "bin" / "java"
        folder = self._node(node)
        for part in (folder, folder / "data", folder / "logs", folder / "tmp"):
            open_folder(part)
        shutil.copytree(server / "config", folder / "config", dirs_exist_ok=True)
        user: dict[str, Any] = {}
        if os.geteuid() == 0:  # OpenSearch refuses to run as root
            account = pwd.getpwnam("nobody")
            user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, account.pw_uid, account.pw_gid)
        environment = {name: value for name, value in os.environ.items() if name not in CHANGES_JAVA}
        with (folder / "console.log").open("ab") as log:
            child = subprocess.Popen(
                self.layout.command(node, folder, java, server),
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in a terminal is for who started it, who then stops it
                **user,
            )
        self._children[node] = child
        beside = folder / "pid.new"
        beside.write_text(f"{child.pid}\n", encoding="utf-8")
        beside.rename(folder / "pid")  # in one step, as other processes read it

    def start_all(self) -> None:
        """Start every node that doesn't run."""
        for node in self.nodes:
            if self._pid(node) is None:
                self.start(node)

    def kill(self, node: int) -> None:
        """End a node with signal 9, as a crash does, and wait until it is gone. Its data stay.

        :raises OpenSearchNotStarted: if it doesn't run.
        """
        if self._pid(node) is None:
            raise OpenSearchNotStarted(f"Node {node} of {self.layout.name!r} doesn't run.")
        self._end([node], signal.SIGKILL)

    def stop(self, *, keep: bool = False) -> None:
        """End all nodes and remove the cluster; with `keep`, its data stay, to be started again."""
        self._end(self.running(), signal.SIGTERM)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def health(self) -> dict[str, Any] | None:
        """Return the health that the first running node knows of, or None if none answers or they
        have no cluster manager.
        """
        for node in self.running():
            try:
                answer = ask(self.urls[node], "/_cluster/health?cluster_manager_timeout=2s&timeout=1s")
            except OSError:
                continue
            return dict(answer)
        return None

    def wait_for(self, status: str, *, nodes: int | None = None, seconds: float = START_SECONDS) -> dict[str, Any]:
        """Return the health of the cluster when its status is this one, and `nodes` nodes (default:
        all that run) have joined.

        For "green", shards must not be moving either.

        :raises OpenSearchNotStarted: if that takes longer, or if fewer nodes run; with the end of
            their logs.
        """
        end = time.monotonic() + seconds
        while True:
            running, health = self.running(), self.health()
            wanted = len(running) if nodes is None else nodes
            if health and health["status"] == status and health["number_of_nodes"] == wanted:
                moving = health["relocating_shards"] if status == "green" else 0
                if not moving:
                    return health
            if len(running) < max(1, wanted):
                raise self._unexpected_state(f"of the nodes, only {running} run", health)
            if time.monotonic() > end:
                raise self._unexpected_state(f"not {status} with {wanted} node(s) within {seconds:g} s", health)
            time.sleep(0.2)

    def wait_green(self, *, seconds: float = START_SECONDS) -> dict[str, Any]:
        """Return the health of the cluster when all running nodes have joined, and every shard is
        where it shall be.

        :raises OpenSearchNotStarted: as `wait_for`.
        """
        return self.wait_for("green", seconds=seconds)

    def _unexpected_state(self, expectation: str, health: dict[str, Any] | None) -> OpenSearchNotStarted:
        """Return the error for an unexpected state."""
        return OpenSearchNotStarted(
            f"Cluster {self.layout.name!r}: {expectation}. Its health: {health}.\n{self.log_ends()}"
        )

    def log_ends(self, lines: int = 30) -> str:
        """Return the last lines that each node printed."""
        parts = []
        for node in self.nodes:
            log = self._node(node) / "console.log"
            if log.exists():
                text = log.read_text(encoding="utf-8", errors="replace").splitlines()
                parts += [f"--- node {node}: the end of {log}", *text[-lines:]]
        return "\n".join(parts)

    def _node(self, node: int) -> Path:
        return self.folder / f"node-{node}"

    def _pid(self, node: int) -> int | None:
        """Return the process of a node if it runs, also if another process started it."""
        try:
            pid = int((self._node(node) / "pid").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        child = self._children.get(node)
        if child is not None and child.pid == pid:
            return pid if child.poll() is None else None
        return pid if processes.is_running(pid, f"-Epath.data={self._node(node)}/data") else None

    def _is_gone(self, node: int) -> bool:
        return self._pid(node) is None

    def _end(self, nodes: list[int], number: signal.Signals) -> None:
        pids = {node: pid for node in nodes if (pid := self._pid(node)) is not None}
        for pid in pids.values():
            processes.send(pid, number)
        for node, pid in pids.items():
            if not processes.wait_until(partial(self._is_gone, node), 15, 0.02):
                processes.send(pid, signal.SIGKILL)
                processes.wait_until(partial(self._is_gone, node), 15, 0.02)
