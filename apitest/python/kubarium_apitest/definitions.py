"""CustomResourceDefinitions of options, as the texts that a server takes. No YAML is parsed here; the server does it."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Iterable, List, Mapping, Union

from .calls import Error

KIND = "CustomResourceDefinition"

_between = re.compile(r"^---(?:[ \t].*)?$", re.MULTILINE)
_kind = re.compile(rf"""^["']?kind["']?[ \t]*:[ \t]*["']?{KIND}["']?[ \t]*(?:#.*)?$""", re.MULTILINE)


def text_of(definition: Union[str, Mapping[str, Any]]) -> str:
    """Return the text of a definition, which may lack apiVersion and kind if it is a value."""
    if isinstance(definition, str):
        return definition
    return json.dumps({"apiVersion": "apiextensions.k8s.io/v1", "kind": KIND, **definition})


def of_path(path: Union[str, "os.PathLike[str]"]) -> List[str]:
    """Return the definitions in a file, or in the files of a folder; other objects in them are ignored."""
    if os.path.isdir(path):
        files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
                       if name.endswith((".yaml", ".yml", ".json")))
    else:
        files = [os.fspath(path)]
    found = [text for file in files for text in _of_file(file)]
    if not found:
        raise Error(f"crd_paths: there is no {KIND} in {os.fspath(path)}")
    return found


def _of_file(file: str) -> Iterable[str]:
    try:
        with open(file, encoding="utf-8") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        raise Error(f"crd_paths: {file}: {getattr(e, 'strerror', e)}") from None
    return [document for document in _between.split(text) if _is_definition(document)]


def _is_definition(document: str) -> bool:
    try:
        value = json.loads(document)
    except ValueError:
        return _kind.search(document) is not None
    return isinstance(value, dict) and value.get("kind") == KIND
