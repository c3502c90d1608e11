"""A Kubernetes API server of its own for each test, within milliseconds, and the record of its requests.

With pytest a test takes the fixture ``kubarium``, and a marker has the options of its server::

    @pytest.mark.kubarium(crd_paths=["../config/crd"])
    def test_greets(kubarium):
        start_controller(kubarium.kubeconfig())
        kubarium.moment("sync")
        ...
        kubarium.settle()
        kubarium.at_most(2, "verb:update sub:status since:sync")
        kubarium.none("verb:list limit:0 since:sync")

Without pytest, ``with Servers() as servers, servers.start() as server:`` does the same. The servers are Kubarium's and
run in one child process, the program ``kubarium`` of the variable KUBARIUM or on PATH. It is started with the first
server and ends with this process. The defaults are those of envtest: RBAC is on, no controllers run, and pods need no
ServiceAccount. docs/apitest.md has the contract, for this package and for other languages.
"""

from .calls import Error
from .record import Client, Request, Target
from .server import Server, User
from .servers import Servers

__all__ = ["Client", "Error", "Request", "Server", "Servers", "Target", "User"]
