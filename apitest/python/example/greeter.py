"""A small controller: it writes the greeting of each Greeting into its status."""

import os

from kubernetes import client, config, watch

GREETINGS = ("example.com", "v1", "default", "greetings")
# The mistake that the test finds: it writes each status, also one that is there already. The first write is an event,
# and the event causes a second write.
MISTAKE = bool(os.environ.get("MISTAKE"))


def greet(api, greeting):
    want = {"text": "Hello, " + greeting["spec"]["to"]}
    if greeting.get("status") == want and not MISTAKE:
        return
    greeting["status"] = want
    api.replace_namespaced_custom_object_status(*GREETINGS, greeting["metadata"]["name"], greeting)


def main():
    api = client.CustomObjectsApi(config.new_client_from_config())
    for event in watch.Watch().stream(api.list_namespaced_custom_object, *GREETINGS):
        if event["type"] != "DELETED":
            greet(api, event["object"])


if __name__ == "__main__":
    main()
