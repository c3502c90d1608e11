"""The fixtures for pytest."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator

import pytest

from . import Error, Server, Servers

FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker, for pytest --markers and --strict-markers."""
    config.addinivalue_line("markers", "kubarium(crd_paths=…, crds=…, args=…, nodes=…, feature_gates=…): options of the "
                            "test's API server; a relative path begins at the folder of the test's file")


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note that a test failed, for recordings."""
    if call.excinfo and not call.excinfo.errisinstance(pytest.skip.Exception):
        item.stash[FAILED] = True


@pytest.fixture(scope="session")
def kubarium_servers() -> Iterator[Servers]:
    """Start API servers, for fixtures of a wider scope than a test: ``with kubarium_servers.start() as server:``."""
    with Servers() as servers:
        yield servers


@pytest.fixture
def kubarium(request: pytest.FixtureRequest, kubarium_servers: Servers) -> Iterator[Server]:
    """Start a Kubernetes API server for this test, with the options of its markers; the nearest marker wins."""
    options: Dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("kubarium"))):
        if marker.args:
            pytest.fail(f"apitest: the marker kubarium takes options by name, not {marker.args[0]!r}", pytrace=False)
        options.update(marker.kwargs)
    paths = options.get("crd_paths", ())
    paths = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    options["crd_paths"] = [os.path.normpath(request.path.parent / path) for path in paths]
    try:
        server = kubarium_servers.start(**options)
    except (Error, TypeError) as e:
        raise pytest.fail.Exception(f"apitest: {e}", pytrace=False) from None
    yield server
    server.end(failed=request.node.stash.get(FAILED, False))
