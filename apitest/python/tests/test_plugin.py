"""The plugin, in runs of pytest inside the tests."""

import os

import pytest

from test_options import FILE

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a file of tests with the plugin, and return the result."""
    monkeypatch.setenv("PYTHONPATH", PACKAGE, prepend=os.pathsep)

    def run(text, *args):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "kubarium_apitest.plugin", "--strict-markers", *args)

    return run


def test_failure(run):
    """A failed assertion points at the test's line, prints the requests, and hides the package's own lines."""
    result = run('''
        def test_writes(kubarium):
            kubarium.request("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "a"}})
            kubarium.none("verb:create")
    ''')
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([
        r'>       kubarium.none\("verb:create"\)',
        r'E       AssertionError: apitest: 1 request for "verb:create", want none:',
        r"E           #\d+  [\d:.]+  \w+  POST  /api/v1/namespaces/default/configmaps  201  \S+s  resourceVersion \d+"])
    assert "raise AssertionError" not in result.stdout.str()


def test_markers(run, pytester):
    """The nearest marker wins, option by option, and paths begin at the folder of the test's file."""
    os.symlink(FILE, pytester.path / "greetings.yaml")
    run('''
        import pytest

        pytestmark = pytest.mark.kubarium(crd_paths=["greetings.yaml"], nodes=1)

        def nodes(kubarium):
            kubarium.request("GET", "/apis/example.com/v1/greetings")
            return len(kubarium.request("GET", "/api/v1/nodes")["items"])

        def test_module(kubarium):
            assert nodes(kubarium) == 1

        @pytest.mark.kubarium(nodes=2)
        def test_nearest(kubarium):
            assert nodes(kubarium) == 2
    ''', "--rootdir=/").assert_outcomes(passed=2)


@pytest.mark.parametrize("marker, want", [
    ('args=["--none"]', "apitest: unknown flag: --none"),
    ("crds_path=1", "apitest: .*unexpected keyword argument 'crds_path'"),
    ('"config/crd"', "apitest: the marker kubarium takes options by name, not 'config/crd'")])
def test_wrong_options(run, marker, want):
    """A server that does not start is one line, without a traceback."""
    result = run(f'''
        import pytest

        @pytest.mark.kubarium({marker})
        def test_it(kubarium):
            pass
    ''')
    result.assert_outcomes(errors=1)
    result.stdout.re_match_lines([want])
    assert "Traceback" not in result.stdout.str() and "plugin.py" not in result.stdout.str()


def test_wider_scope(run):
    """Fixtures of a wider scope start servers too, in the same process."""
    run('''
        import pytest

        @pytest.fixture(scope="module")
        def shared(kubarium_servers):
            with kubarium_servers.start() as server:
                yield server

        @pytest.mark.parametrize("n", [0, 1])
        def test_shared(shared, kubarium, n):
            shared.at_least(n, "verb:create")
            shared.request("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": f"m-{n}"}})
            assert shared._process is kubarium._process
    ''').assert_outcomes(passed=2)


def test_recording(run, pytester):
    """A recording for failures is written when the test fails, and the output says how to see it."""
    result = run('''
        import pytest

        @pytest.mark.parametrize("fails", [False, True])
        def test_it(kubarium, fails):
            kubarium.record_failed(f"{fails}.kubarium")
            assert not fails
    ''')
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"apitest: to see the run: kubarium open {pytester.path}/True.kubarium"])
    assert [f.name for f in pytester.path.glob("*.kubarium*")] == ["True.kubarium"]
