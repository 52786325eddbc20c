"""The layout of a cluster: names, ports, settings, and the command of a node."""

import contextlib
import json
import os
import random
import shlex
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.opensearch.errors import OpenSearchNotStarted

LOOPBACK = "127.0.0.1"
# Below the ports that systems give to outgoing connections: a node that was killed must get its own
# port again.
PORTS = range(20_000, 32_000)
# The first compiler and the serial collector take less of the processor to start with than the
# JVM's own choice.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# As in the server's own jvm.options.
JVM = (
    "-Xss1m",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Djna.nosys=true",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dio.netty.allocator.numDirectArenas=0",
    "-Dlog4j.shutdownHookEnabled=false",
    "-Dlog4j2.disable.jmx=true",
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
    "-Dopensearch.distribution.type=tar",
    "-Dopensearch.bundled_jdk=false",
)


@dataclass(frozen=True)
class Layout:
    """The nodes of a cluster, which are counted from 0, and how each is run."""

    name: str
    http: tuple[int, ...]
    transport: tuple[int, ...]
    heap: str = "512m"
    java_options: str = QUICK_START

    @classmethod
    def make(cls, name: str, nodes: int = 1, port: int = 0) -> "Layout":
        """Return a layout of nodes on `port` and the following ports, or on any free ports.

        $SPANIEL_OPENSEARCH_HEAP and $SPANIEL_OPENSEARCH_JAVA_OPTS replace the heap of a node and
        its options for a fast start.

        :raises OpenSearchNotStarted: if a port that was asked for is taken.
        """
        if port:
            http = tuple(range(port, port + nodes))
            for each in http:
                if not is_free(each):
                    raise OpenSearchNotStarted(f"Port {each} is taken: choose another by --port, 0 for any.")
            transport = free_ports(nodes, besides=http)
        else:
            ports = free_ports(2 * nodes)
            http, transport = ports[:nodes], ports[nodes:]
        heap = os.environ.get("SPANIEL_OPENSEARCH_HEAP", cls.heap)
        return cls(name, http, transport, heap, os.environ.get("SPANIEL_OPENSEARCH_JAVA_OPTS", cls.java_options))

    @property
    def urls(self) -> list[str]:
        """Return the address of each node."""
        return [f"http://{LOOPBACK}:{port}" for port in self.http]

    def settings(self, node: int) -> dict[str, str]:
        """Return the settings of a node, but for its folders."""
        common = {
            "cluster.name": f"spaniel-{self.name}",
            "node.name": f"node-{node}",
            "network.host": LOOPBACK,
            "http.port": str(self.http[node]),
            "transport.port": str(self.transport[node]),
            "cluster.routing.allocation.disk.threshold_enabled": "false",  # a full disk of the machine is not the cluster's matter
        }
        if len(self.http) == 1:
            return {**common, "discovery.type": "single-node"}
        return {
            **common,
            "discovery.seed_hosts": ",".join(f"{LOOPBACK}:{port}" for port in self.transport),
            "cluster.initial_cluster_manager_nodes": ",".join(f"node-{each}" for each in range(len(self.http))),
        }

    def command(self, node: int, folder: Path, java: Path, distribution: Path) -> list[str]:
        """Return the command that runs a node in its folder."""
        settings = {**self.settings(node), "path.data": str(folder / "data"), "path.logs": str(folder / "logs")}
        return [
            str(java),
            f"-Xms{self.heap}",
            f"-Xmx{self.heap}",
            *shlex.split(self.java_options),
            *JVM,
            f"-XX:ErrorFile={folder}/logs/hs_err_pid%p.log",
            f"-Djava.io.tmpdir={folder / 'tmp'}",
            f"-Djna.tmpdir={folder / 'tmp'}",
            f"-Dopensearch.path.home={distribution}",
            f"-Dopensearch.path.conf={folder}/config",
            "-cp",
            f"{distribution}/lib/*",
            "org.opensearch.bootstrap.OpenSearch",
            *(f"-E{key}={value}" for key, value in settings.items()),
        ]

    def to_json(self) -> str:
        """Return the layout as text, for `from_json`."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Layout":
        """Return the layout that was written by `to_json`."""
        data = json.loads(text)
        return cls(**{**data, "http": tuple(data["http"]), "transport": tuple(data["transport"])})


def free_ports(count: int, besides: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return distinct free ports.

    :raises OpenSearchNotStarted: there are not enough.
    """
    found = []
    for port in random.sample(PORTS, len(PORTS)):
        if port not in besides and is_free(port):
            found.append(port)
            if len(found) == count:
                return tuple(found)
    raise OpenSearchNotStarted(f"No {count} free ports between {PORTS.start} and {PORTS.stop}.")


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port of the loopback interface."""
    with contextlib.closing(socket.socket()) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
