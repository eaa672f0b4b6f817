# SPDX-License-Identifier: Apache-2.0
"""Makes projects and operators. A new operator only copies its first input; it can be built and
passes its tests. Then its author adds the real computation.

The templates are in new/. Every operator gets the files of operator/. An operator in cannery's own
checkout also gets checkout/; an operator in another project also gets project_operator/. The folder
project/ has the other files of a project. In the names of templates, and in the texts of checkout/,
new_op, NewOp and package stand for the names of the operator and of the Python package.
"""

from __future__ import annotations

import functools
import importlib.util
import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jinja2

from . import dtypes, literals, names, skeleton
from .build import build
from .copies import copy_prototype
from .loader import Loaded, PrototypeError, file_name_of, load_each, load_prototypes
from .model import Operator
from .msopgen import SOCS
from .outputs import LIST_OF_PAGES
from .render import Renderer, write_if_different
from .rules import RESERVED

TREE = Path(__file__).parent / "new"
#: For each package that lists the operators: the name that it imports from an operator's module.
REGISTRIES = {"golden": "{snake}", "ops": "{snake}", "cases": "{type}Workloads"}

#: Matches faults in spite of which the model of an operator can be built.
_WITH_MODEL = re.compile(r"(input|output|attr)\[\d+\]\.(name|dtypes|formats|default)\b")
#: Keys of a tensor that have an entry for each combination of dtypes.
_COLUMNS = ("dtypes", "formats")


class ScaffoldError(Exception):
    """The operator cannot be made; the message says why."""


def scaffold(root: Path, name: str) -> list[str]:
    """Makes the operator `name`, relu6_grad or Relu6Grad, in cannery's own checkout `root`.

    Returns the files that were written or changed, as paths below `root`. If it raises an
    exception, it has written nothing.
    """
    snake = names.snake_case(name)
    op_type = names.pascal_case(snake)
    _check_name(name, snake, op_type)
    return add_operators(root, [copy_prototype(op_type, list(SOCS))], "cannery", name)


def add_operators(
    root: Path, protos: list[dict[str, Any] | Path], package: str, name: str = ""
) -> list[str]:
    """Adds operators to the project `root`, whose Python package is `package`; returns the same as
    `scaffold`.
    """
    files: dict[str, str] = {}
    ops = _validated(protos)
    for op, text in ops:
        made = dict(operator_files(op, text, package))
        taken = next((path for path in made if (root / path).exists() or path in files), None)
        if taken is not None:
            raise ScaffoldError(f"{name or op.type}: there is already {taken}; choose another name")
        files |= made
        for registry, exported in REGISTRIES.items():
            path = f"python/{package}/{registry}/__init__.py"
            if path in files or (root / path).is_file():
                before = files.get(path) or (root / path).read_text("utf-8")
                imported = exported.format(snake=op.snake, type=op.type)
                files[path] = _registered(before, f"{package}.{registry}.{op.snake}", imported)
    if package == "cannery":
        files |= dict(_pages(root, [op for op, _ in ops]))
    write_all(root, files)
    return sorted(files)


def new_project(
    target: Path, protos: list[dict[str, Any] | Path], package: str, common: Path
) -> list[str]:
    """Makes a project in `target`, which need not exist, with these operators; returns the same as
    `scaffold`.

    common: the folder with op_host/ and op_kernel/ that all operators share.
    """
    if not package.isidentifier() or keyword.iskeyword(package) or not package.isascii():
        raise ScaffoldError(
            f"name: {package!r} is no name of a Python package; give one of letters, digits and _ "
            "with --name"
        )
    if _is_module(package):
        raise ScaffoldError(
            f"name: {package} is a Python module of this environment already, which the package "
            "would hide; give another --name"
        )
    return write_new(target, project_files(protos, package, common))


def write_new(target: Path, files: dict[str, str]) -> list[str]:
    """Writes the files of a new project, and returns their paths."""
    tops = sorted({path.split("/", 1)[0] for path in files})
    taken = next((name for name in tops if (target / name).exists()), None)
    if taken is not None:
        raise ScaffoldError(
            f"{target}: there is already {taken}; choose another folder with -out, or add to the "
            "project that is there with -m 1"
        )
    write_all(target, files)
    return sorted(files)


def project_files(
    protos: list[dict[str, Any] | Path], package: str, common: Path
) -> dict[str, str]:
    """Returns the files of a new project, by their paths in it."""
    ops = _validated(protos)
    files = dict(rendered("project", "", package, ops=[op for op, _ in ops]))
    for op, text in ops:
        files |= dict(operator_files(op, text, package))
    for path in sorted(common.rglob("*")):
        if path.is_file():
            files[path.relative_to(common).as_posix()] = path.read_text("utf-8")
    return files


def _is_module(name: str) -> bool:
    """Returns whether `import name` finds a module or a package with code."""
    if name in sys.stdlib_module_names:
        return True
    found = importlib.util.find_spec(name)
    return found is not None and found.origin is not None


def write_all(root: Path, files: dict[str, str]) -> None:
    """Writes all of `files`, or nothing. If `root` does not exist, one rename creates it with all
    files. Otherwise the files are moved into `root`; if a move fails, the old state is restored.
    """
    made = [folder for folder in root.parents if not folder.exists()]
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".new-", dir=root if root.is_dir() else root.parent))
        try:
            for path, text in files.items():
                write_if_different(stage / path, text)
                (stage / path).chmod(0o755 if path.endswith(".sh") else 0o644)
            if root.is_dir():
                _move(stage, root, files)
            else:
                stage.chmod(0o755)
                stage.replace(root)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise ScaffoldError(f"{root}: cannot be written: {error.strerror}") from None
    finally:
        if not root.exists():
            for folder in made:
                _remove(folder)


def _move(stage: Path, root: Path, files: dict[str, str]) -> None:
    before = {path: (root / path).read_bytes() for path in files if (root / path).is_file()}
    created: list[Path] = []
    try:
        for path in files:
            created += [each for each in (root / path).parents if not each.exists()]
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if path not in before:
                created.append(root / path)
            (stage / path).replace(root / path)
    except BaseException:
        _undo(root, before, created)
        raise


def _undo(root: Path, before: dict[str, bytes], created: list[Path]) -> None:
    for path in sorted(created, key=lambda each: len(each.parts), reverse=True):
        _remove(path)
    for name, data in before.items():
        (root / name).write_bytes(data)


def _remove(path: Path) -> None:
    try:
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    except OSError:
        pass  # the folder contains other files


def toml_text(proto: dict[str, Any]) -> str:
    """Returns a prototype as the text of a TOML file."""
    return _environment().get_template("new_op.toml.jinja").render(proto=proto)


def problems(protos: list[dict[str, Any] | Path]) -> list[str]:
    """Returns all faults that prevent operators from these prototypes, as `file: key: rule`."""
    with _staged(protos) as stage:
        return [
            f"{each.source}: {fault}"
            for each in load_each(stage)
            for fault in (*each.faults, *_model_faults(each))
        ]


def _validated(protos: list[dict[str, Any] | Path]) -> list[tuple[Operator, str]]:
    """Returns the models and the texts of their prototypes, or raises PrototypeError."""
    found = problems(protos)
    if found:
        raise PrototypeError(found)
    with _staged(protos) as stage:
        ops = [build(source, proto) for source, proto in load_prototypes(stage)]
        return [(op, (stage / f"{op.snake}.toml").read_text("utf-8")) for op in ops]


@contextmanager
def _staged(protos: list[dict[str, Any] | Path]) -> Iterator[Path]:
    """Yields a temporary folder op_proto with the files of the prototypes."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "op_proto"
        stage.mkdir()
        for proto in protos:
            if isinstance(proto, Path):
                (stage / file_name_of(proto)).write_bytes(proto.read_bytes())
            else:
                path = stage / f"{names.snake_case(proto['type'])}.toml"
                path.write_text(toml_text(proto), "utf-8")
        yield stage


def _model_faults(loaded: Loaded) -> Iterator[str]:
    """Yields the faults that are found in the model of an operator, not in its prototype."""
    if not loaded.has_form or not all(map(_WITH_MODEL.match, loaded.faults)):
        return
    proto, op_type = loaded.proto, loaded.proto["type"]
    try:
        _check_name(op_type, names.snake_case(op_type), op_type)
    except ScaffoldError as error:
        yield f"type: {error}"
    irregular = any(re.match(r"(in|out)put\[\d+\]\.(dtypes|formats)", f) for f in loaded.faults)
    for fault in skeleton.faults(build(loaded.source, _made_regular(proto, loaded.faults))):
        # With columns of different lengths, nobody knows which dtypes belong together.
        if not (irregular and fault.startswith("outputs:")):
            yield fault


def _made_regular(proto: dict[str, Any], faults: list[str]) -> dict[str, Any]:
    """Returns the prototype with equally long columns, and without defaults that have a fault, so
    that a model can be made.
    """
    tensors = [*proto["input"], *proto["output"]]
    rows = min(len(tensor.get(key, tensor["dtypes"])) for tensor in tensors for key in _COLUMNS)

    def cut(tensor: dict[str, Any]) -> dict[str, Any]:
        return {**tensor, **{key: tensor[key][:rows] for key in _COLUMNS if key in tensor}}

    attrs = [
        {**{k: v for k, v in attr.items() if k != "default"}, "param_type": "required"}
        if any(fault.startswith(f"attr[{i}].default") for fault in faults)
        else attr
        for i, attr in enumerate(proto.get("attr", []))
    ]
    changed = {kind: [cut(tensor) for tensor in proto[kind]] for kind in ("input", "output")}
    return {**proto, **changed, "attr": attrs}


def _check_name(name: str, snake: str, op_type: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", snake):
        raise ScaffoldError(f"{name}: must be letters and digits, as in relu6_grad or Relu6Grad")
    if names.snake_case(op_type) != snake:
        # The names in files, kernel and prototype would differ.
        raise ScaffoldError(
            f"{name}: the type would be {op_type} and its files {names.snake_case(op_type)}; "
            f"call it so"
        )
    if snake in RESERVED or keyword.iskeyword(snake):
        raise ScaffoldError(f"{name}: is reserved by C++ or the aclnn signature")
    if snake in skeleton.OP_TAKEN:
        raise ScaffoldError(
            f"{name}: {snake} is a name that every kernel or Python package has; call it "
            f"{op_type}Custom, say"
        )


def operator_files(op: Operator, proto: str, package: str) -> Iterator[tuple[str, str]]:
    """Yields the files of a new operator, which its author will edit."""
    yield f"op_proto/{op.snake}.toml", proto
    yield from rendered("operator", op.snake, package, **_context(op, package))
    if package == "cannery":
        tree = TREE / "checkout"
        for source in sorted(tree.rglob("*")):
            if source.is_file() and source.suffix != ".pyc":
                name = source.relative_to(tree).as_posix()
                yield _renamed(name, op), _renamed(source.read_text("utf-8"), op)
    else:
        yield from rendered("project_operator", op.snake, package, **_context(op, package))


def _pages(root: Path, ops: list[Operator]) -> Iterator[tuple[str, str]]:
    """Yields the committed pages that change: those of `ops`, and the list of all operators."""
    known = [build(source, proto) for source, proto in load_prototypes(root / "op_proto")]
    every = sorted([*known, *ops], key=lambda op: op.source)
    new = {op.snake for op in ops}
    for path, text in Renderer(every, whole_project=True).committed_pages():
        if path == LIST_OF_PAGES or Path(path).stem in new:
            yield path, text


def _context(op: Operator, package: str) -> dict[str, Any]:
    return {"op": op, "skeleton": skeleton.Skeleton(op, package)}


def render_text(text: str, **context: Any) -> str:
    """Returns the text that a template makes."""
    return _environment().from_string(text).render(**context)


def rendered(part: str, snake: str, package: str, **context: Any) -> Iterator[tuple[str, str]]:
    environment = _environment()
    of_part = (name for name in environment.list_templates() if name.startswith(part + "/"))
    for template in of_part:
        path = template.removeprefix(part + "/").removesuffix(".jinja")
        path = path.replace("new_op", snake).replace("python/package", f"python/{package}")
        yield path, environment.get_template(template).render(package=package, **context)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TREE),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  sources, never HTML
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(literals.FILTERS)
    environment.filters["ge_dtype"] = dtypes.ge_dtype
    return environment


def _renamed(text: str, op: Operator) -> str:
    for old, new in (("new_op", op.snake), ("NewOp", op.type), ("NEW_OP", op.snake.upper())):
        text = text.replace(old, new)
    return text


def _registered(text: str, module: str, exported: str) -> str:
    """Returns the text of an __init__.py with one more import, and with `exported` in its sorted
    list of operators.
    """
    line = f"from {module} import {exported}\n"
    if len(line) > 101:
        line = f"from {module} import (\n    {exported},\n)\n"
    prefix = module.rsplit(".", 1)[0]
    imports = list(re.finditer(rf"^from ({prefix}\.\w+) import (?:\([^)]*\)|[^\n]*)\n", text, re.M))
    if not imports:
        raise ScaffoldError(f"{prefix}: its __init__.py imports no operator to add {exported} to")
    later = [match for match in imports if match.group(1) > module]
    place = later[0].start() if later else imports[-1].end()
    text = text[:place] + line + text[place:]
    if "__all__" in text and f'"{module.rsplit(".", 1)[1]}"' == f'"{exported}"':
        return _listed(text, '    "{}",\n', exported)
    return _listed(text, "        {},\n", exported)


def _listed(text: str, form: str, entry: str) -> str:
    """Returns the text with `entry` added to the sorted list whose lines have the form `form`."""
    pattern = re.escape(form).replace(r"\{\}", r"(\w+)")
    run = re.search(rf"(?m)(?:^{pattern})+", text)
    if run is None:
        raise ScaffoldError(f"{entry}: found no list to add it to")
    entries = sorted({*re.findall(rf"(?m)^{pattern}", run.group()), entry})
    return text[: run.start()] + "".join(map(form.format, entries)) + text[run.end() :]
