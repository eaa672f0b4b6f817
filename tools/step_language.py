# SPDX-License-Identifier: Apache-2.0
"""The language of twin/library_steps.toml, a small part of Python, and its way to C++."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, NoReturn

#: The types of views, as the kernel and as the twin calls them.
TYPES = {
    "half": "Dtype::F16",
    "float": "Dtype::F32",
    "int16": "Dtype::I16",
    "int32": "Dtype::I32",
    "uint16": "Dtype::U16",
    "int8": "Dtype::I8",
    "uint8": "Dtype::U8",
}
#: What every call knows of itself: whole numbers of `CallShape`, and the number of elements.
NUMBERS = ("n", "scratch", "rows", "columns", "valid", "once", "level")
OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&&",
    ast.Or: "||",
}
FUNCTIONS = {"min": "std::min<int64_t>", "max": "std::max<int64_t>", "up": "Up"}


class StepError(ValueError):
    """Something in the file that the language does not have."""


def refuse(node: ast.AST, what: str) -> NoReturn:
    raise StepError(f"line {getattr(node, 'lineno', '?')} of the steps: {what}")


@dataclass
class Writer:
    """Translates the steps of one call or macro, a subset of Python, to C++."""

    macros: dict[str, list[str]]  #: kinds of the parameters of each: view, name, int
    lines: list[str] = field(default_factory=list)
    views: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)  #: to what they are called in C++
    depth: int = 1
    count: int = 0

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, name: str) -> str:
        self.count += 1
        return f"{name}{self.count}"

    # Expressions

    def number(self, node: ast.expr) -> str:
        made = self.arithmetic(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            made = str(int(node.value))
        elif isinstance(node, ast.Name) and node.id in self.names and node.id not in self.views:
            made = self.names[node.id]
        elif isinstance(node, ast.IfExp):
            parts = map(self.number, (node.test, node.body, node.orelse))
            made = "({} ? {} : {})".format(*parts)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in FUNCTIONS:
            arguments = ", ".join(map(self.number, node.args))
            made = f"{FUNCTIONS[ast.unparse(node.func)]}({arguments})"
        return made or refuse(node, f"{ast.unparse(node)} is no number")

    def arithmetic(self, node: ast.expr) -> str:
        """Empty: it has no operator of the language."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.number(node.operand)}"
        if isinstance(node, ast.BinOp):
            parts, by = [node.left, node.right], OPERATORS.get(type(node.op))
        elif isinstance(node, ast.BoolOp):
            parts, by = node.values, OPERATORS.get(type(node.op))
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            parts, by = [node.left, *node.comparators], OPERATORS.get(type(node.ops[0]))
        else:
            return ""
        return f"({f' {by} '.join(map(self.number, parts))})" if by else ""

    def type_of(self, node: ast.expr) -> str:
        name = ast.unparse(node)
        if name == "T":
            return "maker.Type()"
        return TYPES.get(name) or refuse(node, f"{name} is no type")

    def is_view(self, node: ast.expr) -> bool:
        while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and (node.id in self.views or node.id == "buffer")

    def opcode(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return f"Opcode::{node.value}"
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        refuse(node, f"{ast.unparse(node)} is no name of an instruction")

    def view(self, node: ast.expr) -> str:
        """name, name[elements], view.by(blocks, blocks), view.as_(type), buffer(type, bytes)"""
        if isinstance(node, ast.Name) and node.id in self.views:
            return self.names[node.id]
        if isinstance(node, ast.Subscript):
            return f"{self.view(node.value)}[{self.number(node.slice)}]"
        if isinstance(node, ast.IfExp):
            return f"({self.number(node.test)} ? {self.view(node.body)} : {self.view(node.orelse)})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = self.view(node.func.value)
            if node.func.attr == "by":
                return f"{base}.By({', '.join(map(self.number, node.args))})"
            if node.func.attr == "as_":
                return f"{base}.As({self.type_of(node.args[0])})"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "buffer":
            return f"maker.Buffer({self.type_of(node.args[0])}, {self.number(node.args[1])})"
        refuse(node, f"{ast.unparse(node)} is no operand")

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        """A line of steps ends with a barrier; what stands on one line has none between."""
        names, views = dict(self.names), set(self.views)
        for i, statement in enumerate(body):
            barrier = self.statement(statement)
            last = i + 1 == len(body) or body[i + 1].lineno != statement.lineno
            if barrier and last:
                self.put("maker.Barrier();")
        self.names, self.views = names, views

    def inner(self, head: str, body: list[ast.stmt]) -> None:
        self.put(head + " {")
        self.depth += 1
        self.block(body)
        self.depth -= 1
        self.put("}")

    def statement(self, node: ast.stmt) -> bool:
        """Whether it was a step."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self.call(node.value)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node.targets[0], node.value)
        elif isinstance(node, ast.If):
            self.inner(f"if ({self.number(node.test)})", node.body)
            if node.orelse:
                self.inner("else", node.orelse)
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            self.loop(node, node.iter)
        elif isinstance(node, ast.While):
            self.inner(f"while ({self.number(node.test)})", node.body)
        else:
            refuse(node, f"{ast.unparse(node)} is no step")
        return False

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Call):  # a, b = work(type, size)
            type_, size = self.type_of(value.args[0]), self.number(value.args[1])
            for each in target.elts:
                self.declare(ast.unparse(each), f"maker.Work({type_}, {size})", view=True)
            return
        if not isinstance(target, ast.Name):
            refuse(target, f"{ast.unparse(target)} is no name")
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "work":
            made = f"maker.Work({self.type_of(value.args[0])}, {self.number(value.args[1])})"
            self.declare(target.id, made, view=True)
        elif self.is_view(value) or (isinstance(value, ast.IfExp) and self.is_view(value.body)):
            self.declare(target.id, self.view(value), view=True)
        elif target.id in self.names and target.id not in (*NUMBERS, *self.views):
            self.put(f"{self.names[target.id]} = {self.number(value)};")
        else:
            self.declare(target.id, self.number(value), view=False)

    def declare(self, name: str, value: str, *, view: bool) -> None:
        made = self.fresh(name)
        self.put(f"[[maybe_unused]] {'View' if view else 'int64_t'} {made} = {value};")
        self.names[name] = made
        (self.views.add if view else self.views.discard)(name)

    def loop(self, node: ast.For, over: ast.Call) -> None:
        """`for i in range(k)`; `for dst, src, n in pieces(size)`, which goes along n elements."""
        kind = ast.unparse(over.func)
        if kind == "range" and isinstance(node.target, ast.Name):
            limits = [self.number(each) for each in over.args]
            first, last = (["0", *limits])[-2:]
            names, views = dict(self.names), set(self.views)
            made = self.names[node.target.id] = self.fresh(node.target.id)
            self.views.discard(node.target.id)
            head = f"for (int64_t {made} = {first}; {made} < {last}; ++{made})"
            self.inner(head, node.body)
            self.names, self.views = names, views
            return
        if kind != "pieces" or not isinstance(node.target, ast.Tuple):
            refuse(node, "loops go over range(...) or pieces(...)")
        total, size, at = self.names["n"], self.fresh("size"), self.fresh("at")
        self.put(f"const int64_t {size} = Some({self.number(over.args[0])}, {total});")
        names, views = dict(self.names), set(self.views)
        self.put(f"for (int64_t {at} = 0; {at} < {total}; {at} += {size}) {{")
        self.depth += 1
        for each in node.target.elts:
            name = ast.unparse(each)
            if name == "n":
                self.declare("n", f"std::min({size}, {total} - {at})", view=False)
            else:
                self.declare(name, f"{self.names[name]}[{at}]", view=True)
        self.block(node.body)
        self.depth -= 1
        self.put("}")
        self.names, self.views = names, views

    def call(self, node: ast.Call) -> bool:
        name = ast.unparse(node.func)
        if name in ("barrier", "formula", "to_scalar", "to_vector", "no_barrier"):
            if name != "no_barrier":
                method = "".join(map(str.capitalize, name.split("_")))
                self.put(f"maker.{method}();")
            if name == "formula":
                self.put("return;")
            return False
        if name in ("read", "write"):
            self.put(f"maker.{name.capitalize()}({self.view(node.args[0])});")
            return False
        if name in self.macros:
            kinds = self.macros[name]
            if len(kinds) != len(node.args):
                refuse(node, f"{name} takes {len(kinds)} arguments")
            means = {"view": self.view, "name": self.opcode, "int": self.number}
            values = [means[kind](arg) for kind, arg in zip(kinds, node.args, strict=True)]
            self.put(f"{name}({', '.join(['maker', *values])});")
            return False
        if not name[:1].isupper():
            refuse(node, f"{name} is no step")
        given = {str(each.arg): self.number(each.value) for each in node.keywords}
        if not set(given) <= {"count", "mask", "repeats"}:
            refuse(node, f"{ast.unparse(node)}: expected count, or mask and repeats")
        repeated = "repeats" in given
        extent = (
            f"Repeats({given.get('mask', '0')}, {given['repeats']})"
            if repeated
            else f"Elements({given.get('count', self.names.get('n', '0'))})"
        )
        opcode = self.opcode(node.args[0]) if name == "Do" else f"Opcode::{name}"
        operands = ", ".join(map(self.view, node.args[1 if name == "Do" else 0 :]))
        self.put(f"maker.Do({opcode}, {extent}, {{{operands}}});")
        return True


def parse(text: str, of: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        raise StepError(f"{of}, line {error.lineno}: {error.msg}") from None


#: What a parameter is in C++.
PARAMETERS = {"view": "View", "name": "Opcode", "int": "int64_t"}


def kinds(function: ast.FunctionDef) -> list[str]:
    """Of its parameters."""
    found = [ast.unparse(each.annotation or each) for each in function.args.args]
    if not set(found) <= set(PARAMETERS):
        refuse(function, f"{function.name}: parameters are {', '.join(PARAMETERS)}")
    return found


def macro(function: ast.FunctionDef, macros: dict[str, list[str]]) -> tuple[str, str]:
    """Its declaration and its definition."""
    writer = Writer(macros)
    parameters = ["StepMaker& maker"]
    for each, kind in zip(function.args.args, kinds(function), strict=True):
        parameters.append(f"[[maybe_unused]] {PARAMETERS[kind]} {each.arg}")
        writer.names[each.arg] = each.arg
        if kind == "view":
            writer.views.add(each.arg)
    writer.block(function.body)
    head = f"void {function.name}({', '.join(parameters)})"
    return f"{head};\n", f"{head} {{\n" + "\n".join(writer.lines) + "\n}\n\n"


def function(name: str, call: dict[str, Any], macros: dict[str, list[str]]) -> str:
    if not set(call) <= {"operands", "forms", "steps"}:
        raise StepError("expected operands, forms and steps")
    writer = Writer(macros)
    for each in NUMBERS:
        writer.declare(each, f"maker.{each.capitalize()}()", view=False)
    writer.declare("half", "maker.Type() == Dtype::F16", view=False)
    for bit, form in enumerate(call.get("forms", ())):
        writer.declare(form, f"maker.Has({bit})", view=False)
    for index, operand in enumerate(call["operands"].split()):
        written, _, type_ = operand.partition(":")
        as_ = f".As({TYPES[type_]})" if type_ else ""
        writer.declare(written, f"maker.Operand({index}){as_}", view=True)
    writer.block(parse(call["steps"], name))
    return f"void {name}Steps(StepMaker& maker) {{\n" + "\n".join(writer.lines) + "\n}\n\n"
