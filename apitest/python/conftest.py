"""Makes the fixtures available in this folder without an installation."""

pytest_plugins = ["kubarium_apitest.plugin", "pytester"]
