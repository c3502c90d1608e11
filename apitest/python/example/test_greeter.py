"""Tests the greeter as its users run it: as a process with a kubeconfig."""

import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("kubernetes")

GREETER = os.path.join(os.path.dirname(__file__), "greeter.py")
GREETINGS = "/apis/example.com/v1/namespaces/default/greetings"


@pytest.fixture
def greeter(kubarium):
    """Run the controller until the test ends, from when it watches."""
    env = {**os.environ, "KUBECONFIG": kubarium.kubeconfig()}
    with subprocess.Popen([sys.executable, GREETER], env=env) as process:
        while not kubarium.requests("verb:watch res:greetings"):
            assert process.poll() is None, "the greeter has ended"
            time.sleep(0.05)
        yield process
        process.terminate()


@pytest.mark.kubarium(crd_paths="../../example/testdata")
def test_greets(kubarium, greeter):
    kubarium.moment("sync")
    kubarium.request("POST", GREETINGS, {"apiVersion": "example.com/v1", "kind": "Greeting",
                                         "metadata": {"name": "world"}, "spec": {"to": "World"}})
    kubarium.settle()
    assert kubarium.request("GET", GREETINGS + "/world")["status"] == {"text": "Hello, World"}
    kubarium.at_most(1, "verb:update sub:status since:sync")
