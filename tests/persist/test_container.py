"""Files that are not what they seem are refused with a sentence, before anything large is made."""

from __future__ import annotations

import json
import re
import tracemalloc

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import maxmargin
from maxmargin import MaxMarginError, ModelFileError
from maxmargin.persist.format.container import VERSION

from .fitted import LABELS, X, model


@pytest.fixture
def parts(tmp_path):
    """The description and the arrays of a file, to be put together in another way."""
    return taken_apart("three classes", tmp_path)


def taken_apart(name, folder):
    path = folder / "whole.safetensors"
    maxmargin.save(model(name), path)
    with safe_open(path, "np") as held:
        metadata = held.metadata()
        arrays = {key: held.get_tensor(key) for key in held.keys()}  # noqa: SIM118
    return json.loads(metadata["model"]), arrays, metadata


def refusal(path):
    with pytest.raises(ModelFileError) as caught:
        maxmargin.load(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path} cannot be loaded: ")
    assert sentence.endswith((".", ")"))
    return sentence


def write(folder, document, arrays, metadata):
    path = folder / "odd.safetensors"
    save_file(arrays, path, {**metadata, "model": json.dumps(document)})
    return path


def put_at(document, place, value):
    *outer, last = place
    for key in outer:
        document = document[key]
    document[last] = value


WRONG_VALUES = [
    (("class",), "Popen", "class is not a string that is possible"),
    (("class",), ["SVC"], "class is not a string"),
    (("class",), "LinearSVC", "is no parameter of LinearSVC"),
    (("parameters",), 3, "parameters is not a JSON object"),
    (("parameters", "C"), -1.0, "parameters are impossible: The 'C' parameter"),
    (("parameters", "C"), [1], "parameters.C is not a value that a model has"),
    (("parameters", "C"), {"eval": "1"}, "parameters.C is not a value"),
    (("parameters", "__class__"), 1, "parameters.__class__ is no parameter of SVC"),
    (("parameters", "kernel"), {"kernel": "Function", "function": "os.system"}, "not a string"),
    (("parameters", "kernel"), {"kernel": "RBF", "gamma": -1}, "gamma must be greater than zero"),
    (("parameters", "class_weight"), {"map": [[None, 1.0]]}, "neither a number nor a string"),
    (("kernel", "gamma"), "scale", "kernel has rules instead of numbers"),
    (("kernel", "gamma"), "large", "kernel is impossible: gamma must be a positive number"),
    (("kernel", "gamma"), [1.0], "kernel.gamma is not a list of strings"),
    (("kernel", "gamma"), True, "kernel.gamma is not a whole number from"),
    (("kernel", "gamma"), 10**400, "kernel.gamma is not a whole number from"),
    (("kernel", "gamma"), {"float": "nan"}, "kernel.gamma is not a whole number from"),
    (("kernel", "kernel"), "Chi3", "kernel.kernel is not a string"),
    (("kernel",), {"kernel": "Sum", "n_parts": 10**9}, "n_parts is not a whole number"),
    (("kernel",), {"kernel": "Sum", "n_parts": 2}, "part0 is missing"),
    (("kernel",), {"kernel": "Precomputed"}, "n_features is not the number of points"),
    (("n_features",), 5, "support_vectors has the shape"),
    (("n_features",), 0, "n_features is not a whole number"),
    (("n_features",), 10**12, "n_features is not a whole number"),
    (("n_features",), 4.0, "n_features is not a whole number"),
    (("n_points",), 3, "support has numbers that are not from 0 to 2"),
    (("pairwise",), 1, "pairwise is neither true nor false"),
    (("pairwise",), False, "coefficients has the shape"),
    (("sparse",), True, "does not agree with the support vectors"),
    (("fit_time",), -1.0, "fit_time is not a number that is possible"),
    (("feature_names",), ["a"], "feature_names are not one per feature"),
    (("feature_names",), [1, 2, 3, 4], "not a list of strings"),
    (("classes", "type"), "complex128", "classes.type is not a string that is possible"),
    (("classes", "type"), "int8", None),
    (("proof", "machines"), [], "proof.machines are none"),
    (("proof", "machines"), [{}, {}], "proof.machines.0.classes is missing"),
    (("proof", "machines", 0, "classes"), {"tuple": [0, 7]}, "machines are about other classes"),
    (("proof", "machines", 0, "classes"), {"tuple": [{"list": []}]}, "about other classes"),
    (("proof", "machines", 0, "classes"), 0, "classes are not a tuple"),
    (("proof", "machines", 0, "n_points"), 99, "proof.slack has the shape"),
    (("proof", "machines", 0, "n_points"), 151, "n_points is not a whole number from 0 to 150"),
    (("proof", "machines", 0, "gap"), "none", "machines.0.gap is not a number"),
    (("parameters", "bias"), {"bias": "loose"}, "bias.bias is not a string that is possible"),
    (
        ("parameters", "bias"),
        {"bias": "regularised", "scale": -1.0},
        "scale is not a number that is possible",
    ),
    (
        ("parameters", "bias"),
        {"bias": "regularised", "scale": 1e100},
        "bias is impossible: scale must be at most 1e+50",
    ),
    (("parameters", "bias"), {"bias": "regularised", "scale": 1.0}, "bias.eps is missing"),
    (("parameters", "callback"), "os.system", "parameters are impossible: The 'callback'"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), WRONG_VALUES)
def test_a_wrong_value_is_named(parts, tmp_path, place, value, sentence):
    document, arrays, metadata = parts
    put_at(document, place, value)
    path = write(tmp_path, document, arrays, metadata)
    if sentence is None:
        maxmargin.load(path)
    else:
        assert sentence in refusal(path)


@pytest.mark.parametrize("key", ["class", "parameters", "kernel", "n_points", "classes", "sparse"])
def test_a_missing_value_is_named(parts, tmp_path, key):
    document, arrays, metadata = parts
    del document[key]
    assert f"{key} is missing" in refusal(write(tmp_path, document, arrays, metadata))


def with_nan(values):
    values = values.copy()
    values.flat[0] = np.nan
    return values


WRONG_ARRAYS = {
    "support_vectors": [
        with_nan,
        lambda v: v[:-1],
        lambda v: v.ravel(),
        lambda v: v[:, :, None],
        lambda v: v.astype("i4"),
        lambda v: v.astype("f2"),
    ],
    "coefficients": [with_nan, lambda v: v[:1], lambda v: v.astype("f4"), lambda v: v[:, :-1]],
    "support": [lambda v: v + 150, lambda v: v - 150, lambda v: v.astype("i8")],
    "n_support": [lambda v: v + 1, lambda v: v - 100, lambda v: v[:2]],
    "intercepts": [with_nan, lambda v: v[:2], lambda v: v[:, None]],
    "class_weights": [lambda v: v[:2], lambda v: v * np.inf],
    "classes.labels": [lambda v: v[::-1].copy(), lambda v: v * 0, lambda v: v[:1]],
    "n_iterations": [lambda v: v - 10**6, lambda v: v[:1]],
    "proof.margin": [lambda v: v[:1]],
    "proof.slack": [lambda v: v[:-1], lambda v: v.astype("f4"), lambda v: v[:, None]],
    "proof.rows": [lambda v: v[:-1], lambda v: v + 150, lambda v: -1 - v],
}


@pytest.mark.parametrize(
    ("name", "k"), [(name, k) for name, wrong in WRONG_ARRAYS.items() for k in range(len(wrong))]
)
def test_a_wrong_array_is_named(parts, tmp_path, name, k):
    document, arrays, metadata = parts
    arrays[name] = np.ascontiguousarray(WRONG_ARRAYS[name][k](arrays[name]))
    sentence = refusal(write(tmp_path, document, arrays, metadata))
    assert name.split(".")[-1] in sentence or "classes" in sentence or "support" in sentence


def test_arrays_must_all_be_there_and_no_others(parts, tmp_path):
    document, arrays, metadata = parts
    assert "'extra' belongs to nothing" in refusal(
        write(tmp_path, document, {**arrays, "extra": np.zeros(2)}, metadata)
    )
    for name in arrays:
        fewer = {key: values for key, values in arrays.items() if key != name}
        assert name in refusal(write(tmp_path, document, fewer, metadata))


WRONG_SPARSE = {
    "starts": [lambda v: v[:-1], lambda v: v[::-1], lambda v: v + 1, lambda v: v * 10**9],
    "columns": [lambda v: v + 4, lambda v: v - 5, lambda v: v * 0, lambda v: v[:-1]],
    "values": [with_nan, lambda v: v[:-1]],
}


@pytest.mark.parametrize(
    ("name", "k"), [(name, k) for name, wrong in WRONG_SPARSE.items() for k in range(len(wrong))]
)
def test_a_sparse_matrix_that_points_outside_is_refused(tmp_path, name, k):
    document, arrays, metadata = taken_apart("sparse", tmp_path)
    key = f"support_vectors.{name}"
    arrays[key] = np.ascontiguousarray(WRONG_SPARSE[name][k](arrays[key]))
    assert "support_vectors" in refusal(write(tmp_path, document, arrays, metadata))


@pytest.mark.parametrize("name", ["OnlineSVC", "OnlineOneClassSVM"])
def test_the_state_of_a_learner_is_checked(tmp_path, name):
    document, arrays, metadata = taken_apart(name, tmp_path)
    assert "numbers are negative" in refusal(
        write(tmp_path, document, {**arrays, "numbers": -1 - arrays["numbers"]}, metadata)
    )
    huge = {**arrays, "vectors": arrays["vectors"] * 0 + 1e308}
    numbers = arrays["numbers"].copy()
    numbers[:, 1:4] = 1e308
    assert "not finite" in refusal(
        write(tmp_path, document, {**huge, "numbers": numbers}, metadata)
    )
    for place, value in [("state", "1e9"), ("increment", str(2**128)), ("half", 2**32)]:
        other = json.loads(json.dumps(document))
        other["generator"][place] = value
        assert f"generator.{place}" in refusal(write(tmp_path, other, arrays, metadata))


def test_pipelines_are_checked(tmp_path):
    document, arrays, metadata = taken_apart("PCA", tmp_path)
    for names in (["a", "a", "b"], ["a", "b__c", "d"], [], "abc", ["a", "b", ""]):
        assert "names" in refusal(write(tmp_path, {**document, "names": names}, arrays, metadata))
    swapped = {**document, "step0": document["step2"], "step2": document["step0"]}
    assert refusal(write(tmp_path, swapped, arrays, metadata))
    fewer = {key: values for key, values in arrays.items() if key != "step0.mean_"}
    assert "step0.mean_ is missing" in refusal(write(tmp_path, document, fewer, metadata))
    nested = {"class": "SVC"}
    for _ in range(100):
        nested = {"class": "Pipeline", "names": ["a"], "step0": nested}
    assert "nested too deeply" in refusal(write(tmp_path, nested, {"a": np.zeros(1)}, metadata))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"format": "pt"}, "not one that maxmargin wrote"),
        ({"version": str(VERSION + 1)}, "install a later maxmargin"),
        ({"version": "one"}, "version is not a whole number"),
        ({"version": "0"}, "version is not a whole number"),
        ({"version": "9" * 5000}, "version is not a whole number"),
        ({"model": "{"}, "the description is not valid JSON"),
        ({"model": "[" * 100_000}, "the description is not valid JSON"),
        ({"model": '{"class": "SVC", "class": "SVC"}'}, "a key appears twice"),
        ({"model": '{"class": NaN}'}, "NaN is not a JSON number"),
        ({"model": "[]"}, "the description is not a JSON object"),
    ],
)
def test_the_metadata_are_checked(parts, tmp_path, changed, sentence):
    _, arrays, metadata = parts
    path = tmp_path / "odd.safetensors"
    save_file(arrays, path, {**metadata, **changed})
    assert sentence in refusal(path)


def test_a_file_of_weights_is_not_a_model(tmp_path):
    save_file({"weights": np.zeros(3)}, tmp_path / "weights")
    assert "not one that maxmargin wrote" in refusal(tmp_path / "weights")


def raw(header, size):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(size)


ENTRY = {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}
META = {"format": "maxmargin", "version": str(VERSION), "model": "{}"}
RAW = {
    "empty": b"",
    "text": b"hello, world",
    "a huge header": (2**63).to_bytes(8, "little") + b"{}",
    "no JSON": (4).to_bytes(8, "little") + b"\xff\xfe{}",
    "a list": raw([], 0),
    "deep": (100_000).to_bytes(8, "little") + b"[" * 100_000,
    "a gap": raw({"a": ENTRY, "b": {**ENTRY, "data_offsets": [24, 40]}}, 40),
    "overlap": raw({"a": ENTRY, "b": {**ENTRY, "data_offsets": [8, 24]}}, 24),
    "too short": raw({"a": ENTRY}, 8),
    "too long": raw({"a": ENTRY}, 24),
    "huge": raw({"a": {**ENTRY, "shape": [2**61]}}, 16),
    "overflow": raw({"a": {**ENTRY, "shape": [2**61, 8]}}, 16),
    "negative": raw({"a": {**ENTRY, "shape": [-2]}}, 16),
    "fractions": raw({"a": {**ENTRY, "shape": [2.0]}}, 16),
    "an unknown type": raw({"a": {**ENTRY, "dtype": "F65"}}, 16),
    "no type": raw({"a": {"shape": [2], "data_offsets": [0, 16]}}, 16),
    "no place": raw({"a": {**ENTRY, "data_offsets": [0]}}, 16),
    "backwards": raw({"a": {**ENTRY, "data_offsets": [16, 0]}}, 16),
    "metadata that are no strings": raw({"__metadata__": {"format": 1}, "a": ENTRY}, 16),
}


@pytest.mark.parametrize("name", RAW)
def test_a_container_that_lies_is_refused(tmp_path, name):
    path = tmp_path / "raw.safetensors"
    path.write_bytes(RAW[name])
    assert "it is not a whole file of safetensors (" in refusal(path)


@pytest.mark.parametrize(("kind", "size"), [("BF16", 8), ("F8_E5M2", 16), ("F16", 8), ("BOOL", 16)])
def test_types_that_no_model_has_are_refused(tmp_path, kind, size):
    # NumPy knows some of them only if another package has told it.
    path = tmp_path / "raw.safetensors"
    entry = {**ENTRY, "dtype": kind, "shape": [size]}
    path.write_bytes(raw({"__metadata__": META, "a": entry}, 16))
    refusal(path)


def test_every_truncation_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    maxmargin.save(model("two classes"), path)
    content = path.read_bytes()
    for length in range(0, len(content), 37):
        path.write_bytes(content[:length])
        refusal(path)


def test_a_file_that_promises_much_costs_little(tmp_path):
    lies = [
        RAW["huge"],
        RAW["overflow"],
        raw({"a": {**ENTRY, "shape": [2**40, 0]}}, 0),
        raw({"__metadata__": META, "a": {**ENTRY, "shape": [2**40, 0], "data_offsets": [0, 0]}}, 0),
    ]
    path = tmp_path / "lie.safetensors"
    for lie in lies:
        path.write_bytes(lie)
        tracemalloc.start()
        refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
        tracemalloc.stop()


def test_labels_of_very_different_length_cost_little(tmp_path):
    document, arrays, metadata = taken_apart("strings", tmp_path)
    labels = [*(f"a{k:06}" for k in range(20_000)), "b" * 100_000]
    document["classes"] = {"type": "string", "labels": labels}
    path = write(tmp_path, document, arrays, metadata)
    tracemalloc.start()
    assert "differ too much in length" in refusal(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_missing_file_is_the_systems_to_tell(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        maxmargin.load(tmp_path / "nowhere")


def test_values_that_nest_for_ever_are_refused(parts, tmp_path):
    document, arrays, metadata = parts
    document["parameters"]["class_weight"] = "nested"
    for depth in (100, 300, 450):
        nested = '{"tuple": [' * depth + "1.0" + "]}" * depth
        text = json.dumps(document).replace('"nested"', nested)
        save_file(arrays, tmp_path / "odd", {**metadata, "model": text})
        refusal(tmp_path / "odd")


def test_an_infinite_penalty_and_nested_kernels_are_fine(tmp_path):
    kernel = maxmargin.kernels.Linear()
    for _ in range(5):
        kernel = 0.5 * (kernel + maxmargin.kernels.RBF(0.1) * kernel)
    machine = maxmargin.SVC(kernel=kernel, C=float("inf"), max_iter=50)
    with pytest.warns(Warning, match="max_iter"):
        machine.fit(X, LABELS)
    maxmargin.save(machine, tmp_path / "m")
    again = maxmargin.load(tmp_path / "m")
    assert again.kernel == kernel
    assert float("inf") == again.C


def test_a_kernel_that_could_not_be_loaded_is_not_saved(tmp_path):
    kernel = maxmargin.kernels.Linear()
    for _ in range(40):
        kernel = 0.5 * (kernel + maxmargin.kernels.RBF(0.1))
    machine = maxmargin.SVC(kernel=kernel).fit(X[:100], LABELS[:100])
    with pytest.raises(ModelFileError, match="nested too deeply"):
        maxmargin.save(machine, tmp_path / "m")


def test_the_error_is_one_of_the_librarys():
    assert issubclass(ModelFileError, MaxMarginError)
    assert re.match("A file does not hold a model", ModelFileError.__doc__)
