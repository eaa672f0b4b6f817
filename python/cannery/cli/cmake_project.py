# SPDX-License-Identifier: Apache-2.0
"""Reads a project of operators whose CMakeLists.txt calls the toolkit's functions npu_op_*, and
makes sources in the layout of msopgen that include the project's sources.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cannery import _runtime
from cannery.compile.kernel_source import kernel_source
from cannery.compile.toolchain import build_tool
from cannery.errors import CanneryError
from cannery.opgen import literals
from cannery.opgen.msopgen import soc_family
from cannery.opgen.names import snake_case
from cannery.opgen.render import write_if_different

__all__ = ["Description", "describe", "kernel_options", "stage_host", "stage_kernels"]

_INCLUDE = re.compile(r'^(\s*#\s*include\s*)"([^"\n]+)"', re.MULTILINE)
_KERNEL_TYPE = re.compile(r"\bKERNEL_TYPE_\w+")


@dataclass
class Kernel:
    """A call of npu_op_kernel_sources; empty texts stand for arguments that it does not have."""

    op_type: str
    folder: str
    file: str
    units: list[str]


@dataclass
class Description:
    """What the calls of npu_op_* say about a project."""

    vendor: str = ""
    host: list[Path] = field(default_factory=list)  #: sources with definitions, tiling, inference
    base: Path = Path()  #: the folder that contains all kernel sources
    kernels: list[Kernel] = field(default_factory=list)
    options: list[tuple[str, str]] = field(default_factory=list)  #: see `kernel_options`


def describe(project: Path, folder: Path) -> Description:
    """Configures the project in a folder of its own, where each call of npu_op_* is noted."""
    text = folder / "described.txt"
    text.unlink(missing_ok=True)
    command = [build_tool("cmake"), "-G", "Ninja", "-S", str(project)]
    command += ["-B", str(folder / "described"), f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}"]
    command += [f"-DASC_DIR={_runtime.twin_root() / 'cmake'}", f"-DCANNERY_DESCRIPTION={text}"]
    command += [f"-D{name}={value}" for name, value in _preset(project).items()]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise CanneryError(f"{project}: CMake cannot configure it:\n{done.stderr[:20000].strip()}")
    found = _parsed(project, lines := _lines(text))
    found.options = _options(lines, found.base)
    return found


def kernel_options(project: Path, folder: Path) -> list[tuple[str, str]]:
    """Returns macros (-D) and folders of headers (-I) that op_kernel/CMakeLists.txt of a project of
    msopgen gives to kernels, each with the operator's type, or ALL.
    """
    kernels = project / "op_kernel"
    if not (kernels / "CMakeLists.txt").is_file():
        return []
    text = folder / "described.txt"
    script = _runtime.twin_root() / "cmake/asc/kernel_options.cmake"
    command = [build_tool("cmake"), f"-DCANNERY_DESCRIPTION={text}", "-P", str(script)]
    done = subprocess.run(
        command, cwd=kernels, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        sys.stderr.write(
            f"{kernels / 'CMakeLists.txt'}: its options for kernels are not used, because CMake "
            f"cannot run it alone: {' '.join(done.stderr.split())[:300]}\n"
        )
        return []
    return _options(_lines(text), kernels)


def _lines(text: Path) -> list[list[str]]:
    content = text.read_text("utf-8") if text.is_file() else ""
    return [line.split("|") for line in content.splitlines()]


def _options(lines: list[list[str]], base: Path) -> list[tuple[str, str]]:
    found = []
    before = ""  # an option whose value is the next word
    for key, *values in lines:
        if key == "option":
            word = before + values[1]
            before = word if word in ("-D", "-I") else ""
            if word.startswith("-I") and not before:
                word = f"-I{base / word.removeprefix('-I')}"
            if word.startswith(("-D", "-I")) and not before:
                found.append((values[0], word))
    return found


def _preset(project: Path) -> dict[str, str]:
    """Returns the variables of the first preset in CMakePresets.json, if there is one."""
    path = project / "CMakePresets.json"
    try:
        variables = json.loads(path.read_text("utf-8"))["configurePresets"][0]["cacheVariables"]
        values = {
            name: value["value"] if isinstance(value, dict) else value
            for name, value in variables.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise CanneryError(f"{path}: has no preset with cacheVariables ({error!r})") from None
    return {
        name: str(values[name]) for name in ("vendor_name", "ASCEND_COMPUTE_UNIT") & values.keys()
    }


def _parsed(project: Path, lines: list[list[str]]) -> Description:
    found = Description()
    for key, *values in lines:
        if key == "package":
            found.vendor = values[0]
        elif key == "host" and Path(values[0]) not in found.host:
            found.host.append(Path(values[0]))
        elif key == "base":
            found.base = Path(values[1])
        elif key == "kernel":
            op_type, sub, file, *units = values[1:]
            found.kernels.append(Kernel(op_type, sub, file, [unit for unit in units if unit]))
        elif key == "aclnn":
            raise CanneryError(
                f"{project}: npu_op_library(... ACLNN): {values[0]}: the twin makes the public "
                "functions from the definitions, and takes no sources for them"
            )
    if not found.host or found.base == Path():
        raise CanneryError(
            f"{project}: CMakeLists.txt: expected calls of npu_op_code_gen with sources, and of "
            "npu_op_kernel_library"
        )
    return found


def stage_host(described: Description, stage: Path) -> None:
    """Writes op_host: a source for each of the project's, which includes it."""
    _write_all(
        stage / "op_host",
        {
            f"{number}_{source.name}": literals.cpp_include(source)
            for number, source in enumerate(described.host)
        },
    )


def stage_kernels(
    project: Path, described: Description, protos: list[dict[str, Any]], stage: Path
) -> None:
    """Writes op_kernel: a source for each operator, which includes its kernel. Names this source in
    the prototypes.
    """
    texts = {}
    for proto in protos:
        snake = snake_case(proto["type"])
        source = _kernel_source(project, described, proto)
        types = set(_KERNEL_TYPE.findall(source.read_text("utf-8", "replace")))
        lines = (
            [f"// The kernel's source has the types {' '.join(sorted(types))}.\n"] if types else []
        )
        texts[f"{snake}.cpp"] = "".join(lines) + _included(source)
        for header in sorted({path.parent / f"{snake}_tiling.h" for path in described.host}):
            # The toolkit's build includes a tiling header of op_host before each kernel.
            if header.is_file():
                texts[header.name] = literals.cpp_include(header)
        proto.setdefault("kernel", {})["file"] = snake
    _write_all(stage / "op_kernel", texts)


def _included(source: Path) -> str:
    """Returns code that includes a kernel's source, without the launches in it."""
    text = source.read_bytes().decode("utf-8", "surrogateescape")
    if "<<<" not in text:
        return literals.cpp_include(source)

    def absolute(found: re.Match[str]) -> str:
        path = source.parent / found[2]
        return f'{found[1]}"{path}"' if path.is_file() else found[0]

    return _INCLUDE.sub(absolute, kernel_source(text, str(source)))


def _kernel_source(project: Path, described: Description, proto: dict[str, Any]) -> Path:
    """Returns the kernel's source of an operator; raises CanneryError if it does not exist."""
    name = proto.get("kernel", {}).get("file", snake_case(proto["type"]))
    fitting = [
        kernel
        for kernel in described.kernels
        if kernel.op_type in ("", proto["type"]) and _fits(kernel, proto["socs"])
    ]
    # A call with the operator's type counts more than one without a type.
    fitting.sort(key=lambda kernel: kernel.op_type == "")
    paths = [described.base / kernel.folder / (kernel.file or f"{name}.cpp") for kernel in fitting]
    paths.append(described.base / f"{name}.cpp")
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise CanneryError(
            f"{project}: {proto['type']}: no kernel source {' or '.join(map(str, paths))}"
        )
    return found.resolve()


def _fits(kernel: Kernel, socs: list[str]) -> bool:
    if not kernel.units:
        return True
    for unit in kernel.units:
        try:
            if soc_family(unit, "COMPUTE_UNIT") in socs:
                return True
        except ValueError:
            continue  # a chip that the twin does not have
    return False


def _write_all(folder: Path, texts: dict[str, str]) -> None:
    """Writes files that changed, and removes others, so that the folder has exactly these."""
    for name, text in texts.items():
        write_if_different(folder / name, text)
    for path in folder.glob("*"):
        if path.name not in texts:
            path.unlink()
