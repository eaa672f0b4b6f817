# SPDX-License-Identifier: Apache-2.0
"""Converts the JSON of `msopgen gen -i` to prototypes of cannery. Each field is used, or refused
with a line `file: key: rule`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .copies import copy_rules
from .dtypes import PLAIN_FORMATS
from .loader import TOO_DEEP, PrototypeError
from .msopgen_types import ATTR_TYPES, DTYPES
from .names import snake_case
from .rules import MAX_FLOAT32, is_c_text

MAX_BYTES = 10 << 20  # size limit of msopgen for a file
MAX_NAME = 100

#: The fields of each kind of object.
FIELDS = {
    "operator": ("op", "language", "input_desc", "output_desc", "attr"),
    "tensor": ("name", "param_type", "type", "format"),
    "attribute": ("name", "param_type", "type", "default_value"),
}
#: Patterns of keys in prototypes, and the corresponding keys in the JSON.
_WORDS = {
    r"^(input|output)\b": r"\1_desc",
    r"\.dtypes\b": ".type",
    r"\.formats\b": ".format",
    r"\.default$": ".default_value",
    r"^type$": "op",
}
_FORMATS = {name: name for name in (*PLAIN_FORMATS, "FRACTAL_NZ")}
#: SoC families, each with a pattern for the names of its SoCs.
SOCS = {"ascend910b": r"ascend910b\w*(-\d)?", "ascend910_93": r"ascend910_93\w*"}


def parse_socs(text: str) -> list[str]:
    """Returns the SoC families in a value of -c such as ai_core-ascend910b,ai_core-Ascend910_9391;
    raises ValueError for other values.
    """
    found = []
    for unit in text.split(","):
        core, separator, soc = unit.strip().partition("-")
        if core.lower() not in ("ai_core", "aicore") or not separator:
            raise ValueError(f"-c: expected ai_core-<soc>, as in ai_core-ascend910b, got {unit!r}")
        found.append(soc_family(soc, "-c"))
    return list(dict.fromkeys(found))


def soc_family(soc: str, option: str) -> str:
    """Returns the family of a SoC: ascend910b for Ascend910B2; raises ValueError if unknown."""
    for family, form in SOCS.items():
        if re.fullmatch(form, soc.lower()):
            return family
    raise ValueError(
        f"{option}: expected ascend910b (Atlas A2) or ascend910_93 (Atlas A3), or a chip of theirs "
        f"such as Ascend910B2, got {soc!r}"
    )


def read(
    path: Path,
    socs: list[str],
    further: Callable[[list[dict[str, Any] | Path]], list[str]] = lambda _: [],
) -> list[dict[str, Any]]:
    """Returns the prototypes in a file; they are not yet checked against cannery's schema.

    further: a function that finds other faults of prototypes. It is called if the file has faults,
    so that one exception reports all faults.
    """
    try:
        return _protos(path, socs, further)
    except RecursionError:
        raise PrototypeError([f"{path}: {TOO_DEEP}"]) from None


def _protos(
    path: Path, socs: list[str], further: Callable[[list[dict[str, Any] | Path]], list[str]]
) -> list[dict[str, Any]]:
    entries = entries_of(path)
    reader = _Reader(socs)
    protos = [reader.operator(f"[{i}]", entry) for i, entry in enumerate(entries)]
    types = [proto["type"] for proto in protos if proto]
    reader.problems += [
        f"op: {name} is there twice" for name in set(types) if types.count(name) > 1
    ]
    if not entries:
        reader.problems.append("(file): must have an operator")
    if reader.problems:
        found = {f"{path}: {problem}" for problem in reader.problems}
        once = {proto["type"]: proto for proto in protos if proto}
        for problem in further(list(once.values())) if once else []:
            told = reader.told(in_words_of(path, list(once), problem).removeprefix(f"{path}: "))
            if not reader.follows(told):
                found.add(f"{path}: {told}")
        raise PrototypeError(sorted(found))
    return protos


def in_columns(types: list[str], formats: list[str]) -> tuple[list[str], list[str]]:
    """Returns both lists; a list of one entry gets as many as the other list has."""
    if len(formats) == 1:
        return types, formats * len(types)
    return (types * len(formats) if len(types) == 1 else types), formats


def entries_of(path: Path) -> list[Any]:
    """Returns the operators in a file of JSON; raises PrototypeError if the file cannot be read."""
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise PrototypeError([f"{path}: (file): cannot be read: Not a file"])
        if path.stat().st_size > MAX_BYTES:
            raise PrototypeError([f"{path}: (file): must have at most {MAX_BYTES} bytes"])
        text = path.read_text("utf-8-sig")
        document = json.loads(text, object_pairs_hook=_Table)
    except OSError as error:
        raise PrototypeError([f"{path}: (file): cannot be read: {error.strerror}"]) from None
    except ValueError as error:
        raise PrototypeError([f"{path}: (file): must be JSON in UTF-8: {error}"]) from None
    return document if isinstance(document, list) else [document]


class _Table(dict[str, Any]):
    """An object of the JSON file, and the names that occur twice in it."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.repeated = sorted({name for name in names if names.count(name) > 1})


def in_words_of(source: Path, op_types: list[str], problem: str) -> str:
    """Returns `problem`, the text of a fault in a prototype, with the keys that the user knows:
    those of the file `source`, from which the prototype was made.
    """
    place, _, rest = problem.partition(": ")
    if source.suffix.lower() == ".toml":  # a prototype of cannery
        return f"{source}: {rest}"
    op = next((op for op in op_types if place == f"op_proto/{snake_case(op)}.toml"), None)
    if op is None:
        return problem
    key, separator, rule = rest.partition(": ")
    for ours, theirs in _WORDS.items():
        key = re.sub(ours, theirs, key)
    return f"{source}: {op}.{key}{separator}{rule}"


class _Reader:
    """Converts the operators of a file, and collects all faults in `problems`."""

    def __init__(self, socs: list[str]) -> None:
        self.socs = socs
        self.problems: list[str] = []
        #: Keys of wrong values. The prototypes contain valid stand-ins for these values.
        self._doubtful: set[str] = set()
        #: Maps the stand-in for a wrong type of an operator to the key of the operator.
        self._unnamed: dict[str, str] = {}

    def told(self, problem: str) -> str:
        """Returns `problem`, a fault, with the operator's key instead of a type's stand-in."""
        op_type, dot, rest = problem.partition(".")
        return f"{self._unnamed.get(op_type, op_type)}{dot}{rest}"

    def follows(self, problem: str) -> bool:
        """Returns whether a fault `key: rule` may exist only because a stand-in is in its place."""
        key = problem.partition(": ")[0]
        attr = re.match(r".*?\.attr\[\d+\]", key)
        if attr is not None and key.endswith(".default_value"):
            return any(f"{each}.".startswith(f"{attr[0]}.") for each in self._doubtful)
        # Only faults with these keys come from comparing columns, which may contain stand-ins.
        if not re.search(r"\.(type|format)(\[\d+\])?\Z|\.outputs\Z", key):
            return False
        columns = re.escape(key.partition(".")[0]) + r"(\.(in|out)put_desc.*(type|format|\]|desc))?"
        return any(re.fullmatch(columns, each) for each in self._doubtful)

    def operator(self, key: str, entry: Any) -> dict[str, Any]:
        if not isinstance(entry, dict):
            self._fault(key, "must be an object", entry)
            return {}
        key, op_type = self._type(key, entry.get("op"))
        self._is_table(key, entry, "operator")
        if entry.get("language", "cpp") != "cpp":
            self._fault(f"{key}.language", "must be cpp", entry["language"])
        inputs = self._tensors(f"{key}.input_desc", entry.get("input_desc"))
        outputs = self._tensors(f"{key}.output_desc", entry.get("output_desc"))
        attrs = [*self._each(f"{key}.attr", entry.get("attr", []), "attribute", self._attr)]
        self._same_columns(key, [*inputs, *outputs])
        first = inputs[0]["name"]
        for tensor in inputs:
            tensor["auto_contiguous"] = True
            tensor["shape"] = "any"
            tensor["doc"] = f"Input {tensor['name']}."
        for tensor in outputs:
            tensor["shape"] = f"{first}.shape, contiguous"
            tensor["doc"] = f"Output {tensor['name']}."
        fills = any(tensor["dtypes"] != inputs[0]["dtypes"] for tensor in outputs)
        zeros = "; an output of another dtype is filled with zeros" if fills else ""
        inputs[0]["shape"] = "1 to 8 dimensions, none of them 0"
        return {
            "type": op_type,
            "category": "custom",
            "socs": self.socs,
            "summary": f"{op_type}: a copy of {first}, until its own computation is written.",
            "doc": f"Every output is a copy of {first}{zeros}.\n",
            "input": inputs,
            "attr": attrs,
            "output": outputs,
            "rule": copy_rules(first),
        }

    def _type(self, key: str, op_type: Any) -> tuple[str, str]:
        """Returns the key of an operator for messages, and the operator's type or a stand-in."""
        rule = ""
        if not isinstance(op_type, str) or not re.fullmatch("[A-Z][A-Za-z0-9]*", op_type):
            rule = "must be PascalCase letters and digits, as in AddCustom"
        elif len(op_type) > MAX_NAME:
            rule = f"must have at most {MAX_NAME} characters"
        if not rule:
            return op_type, op_type
        self._fault(f"{key}.op", rule, op_type)
        stand_in = f"Unnamed{len(self._unnamed)}"
        self._unnamed[stand_in] = key
        return key, stand_in

    def _tensors(self, key: str, entries: Any) -> list[dict[str, Any]]:
        if not isinstance(entries, list) or not entries:
            self._fault(key, "must be a list with at least one tensor", entries)
            return [self._stand_in()]
        return [*self._each(key, entries, "tensor", self._tensor)]

    def _each(
        self, key: str, entries: Any, kind: str, read: Callable[[str, Any], dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        if not isinstance(entries, list):
            self._fault(key, "must be a list", entries)
            return
        for i, entry in enumerate(entries):
            if self._is_table(f"{key}[{i}]", entry, kind):
                yield read(f"{key}[{i}]", entry)
            elif kind == "tensor":
                yield self._stand_in()
            else:
                attr = {"name": self._unknown(), "param_type": "required", "type": "int"}
                yield {**attr, "doc": "Unknown."}

    def _stand_in(self) -> dict[str, Any]:
        """Returns a stand-in for a tensor with a fault; `_same_columns` adds dtypes and formats."""
        return {"name": self._unknown(), "param_type": "required", "dtypes": [], "formats": []}

    def _unknown(self) -> str:
        """Returns a name for a stand-in that no other stand-in has."""
        return f"unknown{len(self.problems)}"

    def _tensor(self, key: str, entry: dict[str, Any]) -> dict[str, Any]:
        dtypes = [
            self._one_of(f"{key}.type", word, DTYPES) for word in self._words(key, entry, "type")
        ]
        formats = [
            self._one_of(f"{key}.format", word, _FORMATS)
            for word in self._words(key, entry, "format")
        ]
        dtypes, formats = in_columns(dtypes, formats)
        if len(dtypes) != len(formats):
            rule = f"must be one, or as many as types, {len(dtypes)}"
            self._fault(f"{key}.format", rule, entry.get("format"))
        name = self._name(key, entry)
        kind = self._param_type(key, entry)
        return {"name": name, "param_type": kind, "dtypes": dtypes, "formats": formats}

    def _attr(self, key: str, entry: dict[str, Any]) -> dict[str, Any]:
        kinds = {name: name for name in ATTR_TYPES}
        given = only(entry.get("type"))
        kind = self._one_of(f"{key}.type", given, kinds)
        name = self._name(key, entry)
        attr: dict[str, Any] = {"name": name, "type": kind}
        attr["param_type"] = self._param_type(key, entry)
        if "default_value" in entry and str(given).strip() == kind:
            try:
                attr["default"] = parse_default(kind, entry["default_value"])
            except ValueError:
                bits = " of 32 bits" if kind == "float" else ""
                rule = f"must be of type {kind}{bits}, as JSON or as text"
                self._fault(f"{key}.default_value", rule, entry["default_value"])
        attr["doc"] = f"Attribute {name}."
        return attr

    def _same_columns(self, key: str, tensors: list[dict[str, Any]]) -> None:
        counts = {tensor["name"]: len(tensor["dtypes"]) for tensor in tensors if tensor["dtypes"]}
        for tensor in tensors:
            if not tensor["dtypes"]:
                rows = max(counts.values(), default=1)
                tensor |= {"dtypes": ["float32"] * rows, "formats": ["ND"] * rows}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            self._doubtful.add(key)
            self.problems.append(
                f"{key}: all tensors must have the same number of types: entry i of all of them is "
                f"one combination; given: {listed}"
            )

    def _words(self, key: str, entry: dict[str, Any], field: str) -> list[Any]:
        value = entry.get(field, "ND" if field == "format" else None)
        words = value if isinstance(value, list) else [value]
        if not words:
            self._fault(f"{key}.{field}", "must name at least one", value)
        return words

    def _name(self, key: str, entry: dict[str, Any]) -> str:
        name = entry.get("name")
        name = name.strip() if isinstance(name, str) else name  # msopgen strips spaces, too
        if not isinstance(name, str) or not re.fullmatch(
            r"[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*", name
        ):
            self._fault(f"{key}.name", "must be letters, digits and single underscores", name)
            return self._unknown()
        if len(name) > MAX_NAME:
            self._fault(f"{key}.name", f"must have at most {MAX_NAME} characters", name)
            return self._unknown()
        return name

    def _param_type(self, key: str, entry: dict[str, Any]) -> str:
        kinds = {"required": "required", "optional": "optional"}
        given = entry.get("param_type", "required")
        if given == "dynamic":
            rule = "must be required or optional, for a new operator copies no lists of tensors"
            self._fault(f"{key}.param_type", rule, given)
            return "required"
        return self._one_of(f"{key}.param_type", given, kinds)

    def _one_of(self, key: str, word: Any, known: dict[str, str]) -> str:
        if isinstance(word, str) and word.strip() in known:
            return known[word.strip()]
        self._fault(key, "must be one of " + ", ".join(known), word)
        return next(iter(known.values()))

    def _is_table(self, key: str, entry: Any, kind: str) -> bool:
        if not isinstance(entry, dict):
            self._fault(key, "must be an object", entry)
            return False
        known = FIELDS[kind]
        for name in getattr(entry, "repeated", ()):
            self.problems.append(f"{key}.{name}: is there twice")
        for name in entry:
            if name not in known:
                self.problems.append(f"{key}.{name}: unknown field; known are {', '.join(known)}")
        return True

    def _fault(self, key: str, rule: str, value: Any) -> None:
        self._doubtful.add(key)
        given = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
        self.problems.append(f"{key}: {rule}; given: {given[:100]}")


def only(value: Any) -> Any:
    """Returns the element of a list of one, and any other value itself. The type of an attribute
    may be in a list, like the types of a tensor.
    """
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def parse_default(kind: str, value: Any) -> Any:
    """Returns the default value from JSON or from a text such as "25", "1.0", "False"; raises
    ValueError for other values.
    """
    if isinstance(value, str) and kind != "string":
        lowered = value.strip().lower()
        is_list = kind.startswith("list_")
        if is_list and re.fullmatch(r"\{.*\}", lowered):
            # {1, 2} is valid: msopgen copies it into C++
            lowered = lowered.translate(str.maketrans("{}", "[]"))
        try:
            value = _json(lowered)
        except ValueError:
            value = _json(f"[{lowered}]") if is_list else float(lowered)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if kind == "float" and (whole or isinstance(value, float)) and abs(value) <= MAX_FLOAT32:
        return float(value)
    if kind.startswith("list_") and (isinstance(value, list) or value == {}):
        return [parse_default(kind.removeprefix("list_"), item) for item in value]
    if (
        (kind == "int" and whole)
        or (kind == "bool" and isinstance(value, bool))
        or (kind == "string" and isinstance(value, str) and is_c_text(value))
    ):
        return value
    raise ValueError(kind)


def _json(text: str) -> Any:
    """Returns the value of `text`; raises ValueError also for brackets that are nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(text) from None
