"""The stub of the compiled module: the same names, the same methods, the same parameters."""

import ast
import re
from enum import Enum
from pathlib import Path

import maxmargin
from maxmargin import _native

Parameters = list[str]
Members = dict[str, Parameters | None]

PROPERTY = None


def public(name: str) -> bool:
    return not name.startswith("_")


def bound_parameters(function: object) -> Parameters:
    """Read nanobind's signatures, whose types are no Python; overloads name the same parameters."""
    found = {
        tuple(re.findall(r"(\w+): ", signature)) for signature, *_ in function.__nb_signature__
    }
    (names,) = found
    return list(names)


def bound_members(kind: type) -> Members:
    if issubclass(kind, Enum):
        return dict.fromkeys(kind.__members__, PROPERTY)
    members: Members = {}
    for name, thing in vars(kind).items():
        if isinstance(thing, property):
            members[name] = PROPERTY
        elif "nb_" in type(thing).__name__ and (public(name) or name == "__init__"):
            members[name] = bound_parameters(thing)
    return members


def bound() -> tuple[Members, dict[str, Members]]:
    things = {name: thing for name, thing in vars(_native).items() if public(name)}
    kinds = {name: bound_members(t) for name, t in things.items() if isinstance(t, type)}
    functions = {name: bound_parameters(t) for name, t in things.items() if name not in kinds}
    return functions, kinds


def written_parameters(function: ast.FunctionDef) -> Parameters:
    arguments = function.args
    assert arguments.vararg is None
    assert arguments.kwarg is None
    return [argument.arg for argument in arguments.args if argument.arg != "self"]


def written_member(node: ast.stmt) -> tuple[str, Parameters | None]:
    if isinstance(node, ast.Assign):
        (target,) = node.targets
        return target.id, PROPERTY
    decorators = {d.id for d in node.decorator_list}
    return node.name, PROPERTY if "property" in decorators else written_parameters(node)


def written() -> tuple[Members, dict[str, Members]]:
    text = (Path(maxmargin.__file__).parent / "_native.pyi").read_text()
    nodes = ast.parse(text).body
    functions: Members = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            parameters = written_parameters(node)
            assert functions.setdefault(node.name, parameters) == parameters
    kinds = {
        node.name: dict(written_member(member) for member in node.body)
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    return functions, kinds


def test_the_stub_has_every_function_of_the_module_and_no_other():
    assert written()[0] == bound()[0]


def test_the_stub_has_every_class_of_the_module_and_no_other():
    assert written()[1] == bound()[1]


def test_the_stub_has_no_private_classes_or_functions():
    functions, kinds = written()
    assert all(public(name) for name in (*functions, *kinds))
