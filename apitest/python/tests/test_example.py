"""The example finds the mistake of its controller, and prints the writes."""

import os

import pytest

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "example")
PUT = r"E +#\d+  [\d:.]+  \w+  PUT  /apis/example.com/v1/namespaces/default/greetings/world/status  200  .*"


def test_mistake(pytester, monkeypatch):
    pytest.importorskip("kubernetes")
    monkeypatch.setenv("MISTAKE", "1")
    result = pytester.runpytest_subprocess(EXAMPLE)
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([r'E .*apitest: 2 requests for "verb:update sub:status since:sync", want at most 1:', PUT, PUT + "changed nothing.*"])
