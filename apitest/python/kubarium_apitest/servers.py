"""The processes with servers, and the start of a server."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any, Dict, List, Mapping, Sequence, Union

from . import calls, definitions
from .server import Server

Path = Union[str, "os.PathLike[str]"]


def find_program() -> str:
    """Return the path of kubarium: from the variable, or on PATH."""
    program = os.environ.get("KUBARIUM") or shutil.which("kubarium")
    if not program:
        raise calls.Error("there is no kubarium: say where in the variable KUBARIUM, or put it on PATH")
    return program


class Process:
    """A child process with servers. It ends with its standard input, so with this process, even if that is killed."""

    def __init__(self, gates: str, new_file: Any) -> None:
        program = find_program()
        args = [program, "apitest", "--until-eof", "--listen", "127.0.0.1:0"]  # a variable KUBARIUM_LISTEN is for others
        if gates:
            args += ["--feature-gates", gates]
        self.http = calls.opener()
        self.new_file = new_file
        self.url = ""
        self._said: List[str] = []  # until it is ready
        try:  # a session of its own: an interrupt is for the tests, which end it
            self._child = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           encoding="utf-8", errors="replace", start_new_session=True)
        except OSError as e:
            raise calls.Error(f"start {program}: {e.strerror}") from None
        self._reader = threading.Thread(target=self._pass_on, daemon=True)
        self._reader.start()
        assert self._child.stdout
        line = self._child.stdout.readline()
        ready, _, url = line.strip().rpartition(" ")
        if ready != "kubarium: apitest":
            self.close()
            raise calls.Error(f"{program} apitest: {(line + ''.join(self._said)).strip()}")
        self.url = url

    def _pass_on(self) -> None:
        """Keep the child's messages until it is ready, and then pass them on."""
        for line in self._child.stderr or ():
            if self.url:
                sys.stderr.write(line)
            else:
                self._said.append(line)

    def close(self) -> None:
        """End all servers and the process."""
        with self._child:
            assert self._child.stdin
            self._child.stdin.close()
            self._reader.join()


class Servers:
    """Starts servers, all in one process, which ends with this, or with each other set of feature gates in another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards _processes
        self._processes: Dict[str, Process] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="kubarium-apitest-")
        self._count = itertools.count(1)

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all servers."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()
        self._folder.cleanup()

    def start(self, *, crd_paths: Union[Path, Sequence[Path]] = (), crds: Sequence[Union[str, Mapping[str, Any]]] = (),
              args: Sequence[str] = (), nodes: int = 0, feature_gates: Mapping[str, bool] = {}) -> Server:
        """Start a server. It is ready, with what its definitions define, when it is returned.

        crds are CustomResourceDefinitions, as values or texts of YAML or JSON, crd_paths files and folders of files
        with them (.yaml, .yml, .json), in which other objects are ignored. args are flags of kubarium serve:
        "--controllers=*". nodes are simulated nodes, 0 to 100: with them Kubernetes' own controllers of workloads and
        its scheduler run, and Pods go to Running, without containers. feature_gates are Kubernetes' own; they apply to
        a process, so that servers with other gates run in another child.
        """
        paths: Sequence[Path] = [crd_paths] if isinstance(crd_paths, (str, os.PathLike)) else crd_paths
        texts = [definitions.text_of(crd) for crd in crds]
        texts += [text for path in paths for text in definitions.of_path(path)]
        flags = ([f"--nodes={nodes}"] if nodes else []) + list(args)
        process = self._process(feature_gates)
        return Server(process, calls.call(process.http, "POST", process.url + "/servers",
                                          {"args": flags, "definitions": texts}))

    def _process(self, feature_gates: Mapping[str, bool]) -> Process:
        gates = ",".join(sorted(f"{name}={str(on).lower()}" for name, on in feature_gates.items()))
        with self._lock:
            if gates not in self._processes:
                self._processes[gates] = Process(gates, self._new_file)
            return self._processes[gates]

    def _new_file(self, name: str) -> str:
        return os.path.join(self._folder.name, f"{name}-{next(self._count)}")
