"""The options of a server, and the errors of a start, which are one line."""

import json
import os
import stat
import urllib.error
import urllib.request

import pytest

from kubarium_apitest import Error, Servers
from kubarium_apitest.servers import find_program
from test_server import DEFINITIONS, GREETINGS, names

WIDGETS = {"metadata": {"name": "widgets.example.com"}, "spec": {
    "group": "example.com", "scope": "Cluster", "names": {"plural": "widgets", "kind": "Widget"},
    "versions": [{"name": "v1", "served": True, "storage": True,
                  "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
FOLDER = os.path.join(os.path.dirname(__file__), DEFINITIONS)
FILE = os.path.join(FOLDER, "greetings.yaml")


@pytest.mark.parametrize("options", [
    {"crd_paths": FILE}, {"crd_paths": [FOLDER]}, {"crd_paths": [FILE], "crds": [WIDGETS]}])
def test_definitions(kubarium_servers, options):
    """Definitions come from values, files and folders, and are served immediately."""
    with kubarium_servers.start(**options) as server:
        server.request("POST", GREETINGS, {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "a"}})
        if "crds" in options:
            assert names(server, "/apis/example.com/v1/widgets") == []
        server.at_most(len(options), "verb:create res:customresourcedefinitions")


def test_other_objects(kubarium_servers, tmp_path):
    """Files may have other objects, in YAML or JSON, and no file of another name is read."""
    with open(FILE, encoding="utf-8") as f:
        (tmp_path / "a.yml").write_text("kind: Namespace\n---\n" + f.read() + "--- # the end\nkind: Pod\n")
    full = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **WIDGETS}
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.json").write_text(json.dumps(full))
    (tmp_path / "c.json").write_text('{"kind": "Pod"}')
    (tmp_path / "notes.txt").write_text("kind: CustomResourceDefinition\n")
    with kubarium_servers.start(crd_paths=tmp_path) as server:
        assert names(server, GREETINGS) == names(server, "/apis/example.com/v1/widgets") == []


@pytest.mark.kubarium(nodes=2)
def test_nodes(kubarium):
    """With nodes, a Deployment becomes available as on a cluster."""
    labels = {"app": "web"}
    path = "/apis/apps/v1/namespaces/default/deployments"
    kubarium.request("POST", path, {"metadata": {"name": "web"}, "spec": {
        "replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    kubarium.settle()
    assert kubarium.request("GET", path + "/web")["status"]["availableReplicas"] == 2


@pytest.mark.kubarium(args=["--controllers=namespace-controller"])
def test_args(kubarium):
    kubarium.request("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    kubarium.request("DELETE", "/api/v1/namespaces/shop")
    kubarium.settle()
    assert "shop" not in names(kubarium, "/api/v1/namespaces")


def test_feature_gates(kubarium_servers):
    """Feature gates are those of the test, also at the same time as a server with others."""
    served = []
    for on in (True, False, True):
        with kubarium_servers.start(feature_gates={"CBORServingAndStorage": on}) as server:
            asked = urllib.request.Request(server.privileged + "/api/v1/namespaces", headers={"Accept": "application/cbor"})
            try:
                served.append(urllib.request.urlopen(asked).status)
            except urllib.error.HTTPError as e:
                served.append(e.code)
    assert served == [200, 406, 200]


@pytest.mark.parametrize("options, want", [
    ({"crd_paths": ["none.yaml"]}, "none.yaml: No such file"),
    ({"crd_paths": os.path.dirname(__file__)}, "there is no CustomResourceDefinition in"),
    ({"crds": ["kind: Pod"]}, "definition 1 is not"),
    ({"crds": [{"metadata": {"name": "a.b"}}]}, "define a.b: "),
    ({"args": ["--none"]}, "unknown flag: --none"),
    ({"args": ["--db=x"]}, "--db cannot be set"),
    ({"args": ["serve"]}, '"serve" is none'),
    ({"args": ["--authorization-mode=None"]}, "not a valid mode"),
    ({"nodes": 101}, "--nodes"),
    ({"feature_gates": {"Nil": True}}, 'unrecognized feature gate "Nil"')])
def test_refused(kubarium_servers, options, want):
    with pytest.raises(Error) as refused:
        kubarium_servers.start(**options)
    assert want in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("script, want", [
    (None, "there is no kubarium: say where in the variable KUBARIUM, or put it on PATH"),
    ("#!/nowhere\n", "start .*/program: No such file"),
    ("#!/bin/sh\necho 'kubarium: no memory' >&2; exit 1\n", ".*/program apitest: kubarium: no memory")])
def test_wrong_program(monkeypatch, tmp_path, script, want):
    """A program that is not there, that does not start, or that ends at once is an error with what it said."""
    program = tmp_path / "program"
    monkeypatch.setenv("KUBARIUM", str(program) if script else "")
    monkeypatch.setenv("PATH", str(tmp_path))
    if script:
        program.write_text(script)
        program.chmod(stat.S_IRWXU)
    with Servers() as servers, pytest.raises(Error, match=want):
        servers.start()


def test_messages(monkeypatch, tmp_path, capsys):
    """What the child prints when it is ready is printed, with the output of the test that runs then."""
    program, asked = tmp_path / "program", tmp_path / "asked"
    program.write_text('#!/bin/sh\n(until [ -e "$ASKED" ]; do sleep 0.05; done; echo "a message" >&2) &\nexec "$PROGRAM" "$@"\n')
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("ASKED", str(asked))
    monkeypatch.setenv("PROGRAM", find_program())
    monkeypatch.setenv("KUBARIUM", str(program))
    with Servers() as servers, servers.start():
        assert capsys.readouterr().err == ""
        asked.touch()
    assert capsys.readouterr().err == "a message\n"
