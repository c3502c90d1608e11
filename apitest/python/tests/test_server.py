"""What a server is, and what its methods do to it."""

import contextlib
import os
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.request

import pytest

from kubarium_apitest import Error, Servers
from kubarium_apitest.servers import find_program

MAPS = "/api/v1/namespaces/default/configmaps"
GREETINGS = "/apis/example.com/v1/namespaces/default/greetings"
RIGHTS = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
DEFINITIONS = "../../testdata"
HERE = os.path.dirname(os.path.abspath(__file__))


def create(server, name):
    return server.request("POST", MAPS, {"metadata": {"name": name}})


def names(server, path=MAPS):
    return [item["metadata"]["name"] for item in server.request("GET", path)["items"]]



def test_each_test_has_its_own(kubarium, kubarium_servers):
    with kubarium_servers.start() as other:
        create(kubarium, "same")
        create(other, "same")
        uids = {s.request("GET", "/api/v1/namespaces/kube-system")["metadata"]["uid"] for s in (kubarium, other)}
        assert len(uids) == 2
    with pytest.raises(Error, match="refused"):
        create(other, "late")
    create(kubarium, "early")


def test_request(kubarium):
    """Answers are values, and refusals have what a Status says."""
    create(kubarium, "a")
    patched = kubarium.request("PATCH", MAPS + "/a", {"data": {"k": "ü"}}, media="application/merge-patch+json")
    assert patched["data"] == {"k": "ü"}
    text = "apiVersion: v1\nkind: ConfigMap\ndata: {other: ü}\n"
    applied = kubarium.request("PATCH", MAPS + "/a?fieldManager=test", text, media="application/apply-patch+yaml")
    assert applied["data"] == {"k": "ü", "other": "ü"}
    with pytest.raises(Error, match='configmaps "a" already exists') as refused:
        create(kubarium, "a")
    assert (refused.value.status, refused.value.reason) == (409, "AlreadyExists")
    assert refused.value.body["details"]["name"] == "a"
    assert kubarium.request("GET", "/readyz") == "ok"
    assert kubarium.request("DELETE", MAPS + "/a")["status"] == "Success"


def test_user(kubarium):
    """Users may do what their roles allow."""
    alice = kubarium.user("alice", "dev", "ops")
    assert (alice.name, alice.groups) == ("alice", ("dev", "ops")) and "PRIVATE" not in repr(alice)
    with pytest.raises(Error, match='User "alice" cannot list') as refused:
        kubarium.request("GET", MAPS, user=alice)
    assert (refused.value.status, refused.value.reason) == (403, "Forbidden")
    group = "rbac.authorization.k8s.io"
    kubarium.request("POST", RIGHTS + "/roles", {"metadata": {"name": "reader"}, "rules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]})
    kubarium.request("POST", RIGHTS + "/rolebindings", {
        "metadata": {"name": "ops"}, "roleRef": {"apiGroup": group, "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": group, "kind": "Group", "name": "ops"}]})
    kubarium.settle()  # authorizers lag a little
    kubarium.request("GET", MAPS, user=alice)
    kubarium.at_least(1, "user:alice code:403")
    kubarium.none("user:alice code:5xx")


def test_certificates(kubarium):
    """The certificates pass the strict checks that Python has by default from 3.13 on."""
    context = ssl.create_default_context(cadata=kubarium.ca)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    by = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
    with by.open(kubarium.url + "/version") as answer:
        assert answer.status == 200


def test_proxy(kubarium, monkeypatch):
    """A proxy of the environment is not asked."""
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert kubarium.request("GET", "/readyz", user=kubarium.user("bob")) == "ok"


def test_kubeconfig(kubarium, tmp_path):
    file = kubarium.kubeconfig(str(tmp_path / "config"), kubarium.user("bob", "system:masters"))
    assert os.stat(file).st_mode & 0o77 == 0
    one, two = kubarium.kubeconfig(), kubarium.kubeconfig()
    assert one != two and os.path.exists(one) and os.path.exists(two)


@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl")
def test_kubectl(kubarium):
    file = kubarium.kubeconfig(user=kubarium.user("bob", "system:masters"))
    subprocess.run(["kubectl", "--kubeconfig", file, "create", "configmap", "a"], check=True)
    kubarium.at_least(1, "user:bob verb:create code:201 ua:kubectl")


def test_official_client(kubarium):
    kubernetes = pytest.importorskip("kubernetes")
    with kubernetes.config.new_client_from_config(kubarium.kubeconfig()) as client:
        kubernetes.client.CoreV1Api(client).create_namespaced_config_map("default", {"metadata": {"name": "a"}})
    kubarium.at_least(1, "user:admin verb:create code:201 !ua:apitest")


@pytest.mark.kubarium(crd_paths=DEFINITIONS)
def test_restore(kubarium):
    """A test can restore a state, or the state after the start, with definitions; resourceVersions continue."""
    before = create(kubarium, "a")["metadata"]["resourceVersion"]
    kubarium.snapshot("one")
    create(kubarium, "b")
    kubarium.request("POST", GREETINGS, {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}})
    kubarium.restore("one")
    assert (names(kubarium), names(kubarium, GREETINGS)) == (["a"], [])
    kubarium.reset()
    assert (names(kubarium), names(kubarium, GREETINGS)) == ([], [])
    assert int(create(kubarium, "b")["metadata"]["resourceVersion"]) > int(before)
    with pytest.raises(Error, match="not found"):
        kubarium.restore("none")
    with pytest.raises(Error, match="lower-case"):
        kubarium.snapshot("No")


def test_fork(kubarium):
    """A fork begins with the present state, or with a snapshot, and is independent."""
    was = create(kubarium, "a")
    kubarium.snapshot("one")
    create(kubarium, "b")
    now, then = kubarium.fork(), kubarium.fork("one")
    assert (names(now), names(then)) == (["a", "b"], ["a"])
    assert then.request("GET", MAPS + "/a") == was
    create(then, "c")
    assert (names(kubarium), names(now)) == (["a", "b"], ["a", "b"])
    then.at_least(1, "verb:create")
    now.none("verb:create")
    now.end()  # a fork ends with its server only
    assert names(now) == ["a", "b"]


def test_compact(kubarium):
    old = create(kubarium, "a")["metadata"]["resourceVersion"]
    create(kubarium, "b")
    kubarium.compact()
    with pytest.raises(Error) as refused:
        kubarium.request("GET", f"{MAPS}?resourceVersion={old}&resourceVersionMatch=Exact")
    assert refused.value.status == 410


def test_faults(kubarium):
    """Rules act on the requests that they mean, as often as they say, until they are removed; other rules stay."""
    create(kubarium, "a")

    def change(data):
        kubarium.request("PUT", MAPS + "/a", {"metadata": {"name": "a"}, "data": {"n": data}})

    kubarium.faults("refuse 429 on verb:list res:configmaps # it stays")
    with kubarium.faults("refuse 409 after 1 once on verb:update res:configmaps", "refuse 500 on verb:delete") as undo:
        change("1")
        with pytest.raises(Error) as refused:
            change("2")
        assert (refused.value.status, refused.value.reason) == (409, "Conflict")
        change("3")
        with pytest.raises(Error) as refused:
            kubarium.request("DELETE", MAPS + "/a")
        assert refused.value.status == 500
    undo.close()  # it does nothing
    kubarium.request("DELETE", MAPS + "/a")
    with pytest.raises(Error) as refused:
        names(kubarium)
    assert refused.value.status == 429
    kubarium.at_most(1, "fault:yes code:409 verb:update")
    kubarium.at_least(3, "fault:yes")
    with pytest.raises(Error, match='line 2: refuse needs a status between 400 and 599, not "99"'):
        kubarium.faults("refuse 500", "refuse 99")
    create(kubarium, "b")  # neither rule was added


def held(server):
    with urllib.request.urlopen(server.privileged + "/debug/held") as answer:
        return answer.read().strip()


def test_held_requests_go_on(kubarium):
    """What a rule holds goes on when it is removed."""
    made = []
    with kubarium.faults("hold on verb:create res:configmaps"):
        creating = threading.Thread(target=lambda: made.append(create(kubarium, "a")))
        creating.start()
        while held(kubarium) == b"[]":
            pass
        assert made == []
    creating.join()
    assert len(made) == 1


@pytest.mark.parametrize("failed", [False, True])
def test_record(kubarium_servers, tmp_path, failed):
    """A recording has the requests to the end; the one that is for failures is only made of a test that failed."""
    always, failure = tmp_path / "new" / "always.kubarium", tmp_path / "failure.kubarium"
    with contextlib.suppress(AssertionError), kubarium_servers.start() as server:
        server.record(str(always))
        server.record_failed(str(failure))
        create(server, "a")
        fork = server.fork()
        fork.record(str(tmp_path / "fork.kubarium"))
        create(fork, "b")
        assert not failed
    assert failure.exists() == failed
    for file, name in ((always, "a"), (tmp_path / "fork.kubarium", "b")):
        out = subprocess.run([find_program(), "export", file, "--filter", "verb:create res:configmaps"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        assert out.count("\n") == 1 and f'"{name}"' in out


def test_record_cannot_be_written(kubarium_servers, tmp_path):
    (tmp_path / "file").touch()
    server = kubarium_servers.start()
    server.record(str(tmp_path / "file" / "run.kubarium"))
    with pytest.raises(Error, match="record: .*run.kubarium: (File exists|Not a directory)"):
        server.end()
    with pytest.raises(Error, match="refused"):
        create(server, "late")


def test_the_process_ends_with_the_tests(tmp_path):
    """The child ends with the process of the tests, even if that is killed."""
    test = tmp_path / "stays.py"
    test.write_text("from kubarium_apitest import Servers\n"
                    "server = Servers().start()\nprint(server.privileged, flush=True)\ninput()\n")
    path = os.pathsep.join([os.path.dirname(HERE), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen([sys.executable, str(test)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)}) as child:
        url = child.stdout.readline().strip()
        assert urllib.request.urlopen(url + "/readyz").status == 200
        child.kill()
    for _ in range(6000):
        try:
            urllib.request.urlopen(url + "/readyz", timeout=60)
        except OSError:
            return
    pytest.fail("the child goes on")


def test_without_pytest():
    with Servers() as servers, servers.start(nodes=1) as server:
        assert names(server, "/api/v1/nodes") != []
        url = server.privileged
    with pytest.raises(OSError):
        urllib.request.urlopen(url + "/readyz", timeout=60)
