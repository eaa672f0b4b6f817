# SPDX-License-Identifier: Apache-2.0
"""Translates the formulas of a prototype to C++. A formula has the syntax of Python. It contains
whole numbers, its arguments, + - * // and parentheses. A condition may also be a comparison. The
operator // becomes a call of FloorDiv, because / in C++ rounds a negative quotient towards zero.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection

__all__ = ["COMPARISONS", "NUMBERS", "cpp"]

_INT64 = range(-(2**63), 2**63)
_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.FloorDiv: ("//", operator.floordiv),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
#: The operators of numbers and of conditions, for messages.
NUMBERS = " ".join([*(word for word, _ in _OPERATORS.values()), "( )"])
COMPARISONS = " ".join(_COMPARISONS.values())


def cpp(text: str, args: Collection[str], *, condition: bool) -> str:
    """Returns the formula in C++. Raises ValueError if `text` is not a valid formula, and
    ZeroDivisionError if it divides by 0, whatever its arguments are.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if condition and isinstance(node, ast.Compare):
            return _comparison(node, args)
        return _number(node, args)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(text) from error


def _comparison(node: ast.Compare, args: Collection[str]) -> str:
    numbers = [_operand(each, args) for each in (node.left, *node.comparators)]
    words = [_COMPARISONS.get(type(each), "") for each in node.ops]
    if not all(words):
        raise ValueError(ast.unparse(node))
    pairs = zip(numbers, words, numbers[1:], strict=False)
    return " && ".join(f"{left} {word} {right}" for left, word, right in pairs)


def _operand(node: ast.expr, args: Collection[str]) -> str:
    number = _number(node, args)
    is_call = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    enclosed = isinstance(node, ast.BinOp | ast.UnaryOp) and not is_call
    return f"({number})" if enclosed else number


def _number(node: ast.expr, args: Collection[str]) -> str:
    if isinstance(node, ast.Name) and node.id in args:
        return node.id
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value in _INT64:
        return str(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"-{_operand(node.operand, args)}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        left, right = _number(node.left, args), _number(node.right, args)
        if _constant(node.right) == 0:
            raise ZeroDivisionError(ast.unparse(node))
        return f"FloorDiv({left}, {right})"
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        word, _ = _OPERATORS[type(node.op)]
        return f"{_operand(node.left, args)} {word} {_operand(node.right, args)}"
    raise ValueError(ast.unparse(node))


def _constant(node: ast.expr) -> int | None:
    """Returns the value of a valid number without arguments; None for a number with arguments."""
    if isinstance(node, ast.Constant):
        return int(str(node.value))
    if isinstance(node, ast.UnaryOp):
        value = _constant(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp):
        left, right = _constant(node.left), _constant(node.right)
        if left is not None and right is not None:
            return _OPERATORS[type(node.op)][1](left, right)
    return None
