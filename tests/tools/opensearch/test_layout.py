import socket
from pathlib import Path

import pytest

from tools.opensearch.errors import OpenSearchNotStarted
from tools.opensearch.layout import PORTS, Layout, free_ports, is_free

THREE = Layout("x", (1, 2, 3), (4, 5, 6))


def test_a_layout_round_trips():
    assert Layout.from_json(THREE.to_json()) == THREE


def test_nodes_of_a_cluster_look_for_each_other():
    settings = THREE.settings(1)

    assert settings["discovery.seed_hosts"] == "127.0.0.1:4,127.0.0.1:5,127.0.0.1:6"
    assert settings["cluster.initial_cluster_manager_nodes"] == "node-0,node-1,node-2"
    assert (settings["node.name"], settings["http.port"], settings["transport.port"]) == ("node-1", "2", "5")


def test_a_single_node_looks_for_no_other():
    settings = Layout("x", (1,), (2,)).settings(0)

    assert settings["discovery.type"] == "single-node"
    assert "discovery.seed_hosts" not in settings


def test_a_node_listens_on_the_loopback_interface_alone():
    assert THREE.settings(0)["network.host"] == "127.0.0.1"
    assert THREE.urls[2] == "http://127.0.0.1:3"


def test_the_command_has_the_memory_the_options_and_the_folders():
    layout = Layout("x", (1,), (2,), "1g", "-XX:+UseG1GC -Da='b c'")

    command = layout.command(0, Path("/data/node-0"), Path("/jdk/bin/java"), Path("/dist"))

    assert command[:5] == ["/jdk/bin/java", "-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-Da=b c"]
    assert {"-Epath.data=/data/node-0/data", "-Dopensearch.path.home=/dist", "-Ehttp.port=1"} <= set(command)


def test_memory_and_options_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("SPANIEL_OPENSEARCH_HEAP", "2g")
    monkeypatch.setenv("SPANIEL_OPENSEARCH_JAVA_OPTS", "")

    layout = Layout.make("x")

    assert (layout.heap, layout.java_options) == ("2g", "")


def test_free_ports_are_different_and_below_those_of_outgoing_connections():
    layout = Layout.make("x", nodes=3)

    assert len({*layout.http, *layout.transport}) == 6
    assert all(port in PORTS for port in (*layout.http, *layout.transport))


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        assert not is_free(port)
        with pytest.raises(OpenSearchNotStarted, match=f"Port {port} is taken"):
            Layout.make("x", port=port)


def test_more_ports_than_there_are_is_an_error():
    with pytest.raises(OpenSearchNotStarted, match="free ports"):
        free_ports(len(PORTS) + 1)
