"""Solve, certify, draw: the library in under a minute, without downloads.

Usage: python examples/demo.py [folder]. Pictures and report.html go to the folder, demo/ in the
repository by default.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from demonstration import pictures, real_data, terminal, worked
from demonstration.report import Story, page
from rich.console import Console

_WIDTH_OF_A_FILE = 120


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Solve, certify and draw; write a report.")
    default = Path(__file__).parents[1] / "demo"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    folder: Path = parser.parse_args(arguments).folder
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_OF_A_FILE)
    start = perf_counter()
    story = tell(console)
    report = write(story, folder)
    console.rule()
    console.print(f"{len(story.pictures)} pictures in {folder}")
    console.print(f"Report: {report}")
    console.print(f"Done in {perf_counter() - start:.0f} s.")
    return 0 if all_agree(story.runs) else 1


def tell(console: Console) -> Story:
    """Solve everything, print the results, draw the pictures."""
    console.rule("maxmargin: machines that prove their solutions")
    with console.status("Solving the worked examples ..."):
        runs = worked.run_all(worked.load_examples())
    console.print(terminal.solver_table(runs))
    console.print(_agreement_sentence(runs))
    soft = next(run for run in runs if run.example.key == "soft")
    kkt = soft.certificate.table().support()
    console.print()
    console.print(kkt)

    console.rule("Real data: breast cancer, 30% held out")
    split = real_data.breast_cancer()
    with console.status("Fitting ..."):
        classification = real_data.classify(split)
        early = real_data.stopped_early(split)
        others = [real_data.one_class(), real_data.regression()]
    console.print(terminal.fit_lines(classification))
    console.print(f"Accuracy on held-out data: {classification.accuracy:.1%}")
    console.print()
    console.print(terminal.early_table(early))

    with console.status("Racing the solvers and drawing ..."):
        race = real_data.race(split)
        return Story(
            runs=runs,
            kkt=kkt,
            classification=classification,
            early=early,
            others=others,
            worked_pictures=pictures.worked_pictures(runs),
            race_picture=pictures.race_picture(race),
            early_pictures=[
                pictures.kkt_picture("kkt-stopped-early", "Stopped early", early[0]),
                pictures.kkt_picture("kkt-converged", "Run to convergence", early[1]),
            ],
            other_pictures=[
                pictures.one_class_picture(others[0]),
                pictures.regression_picture(others[1]),
            ],
        )


def write(story: Story, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for picture in story.pictures:
        picture.save(folder)
    report = folder / "report.html"
    report.write_text(page(story), encoding="utf-8")
    return report


def all_agree(runs: list[worked.Run]) -> bool:
    """Say whether every exact solver reproduces the known numbers."""
    return all(
        run.deviation <= worked.TOLERANCE for run in runs if run.exact and run.deviation is not None
    )


def _agreement_sentence(runs: list[worked.Run]) -> str:
    if all_agree(runs):
        return (
            "Every exact solver agrees with the known solutions "
            f"(objective, w, b, multipliers, slacks) to {worked.TOLERANCE:g}."
        )
    return "[bold red]An exact solver differs from the known solutions: see the last column.[/]"


if __name__ == "__main__":
    sys.exit(main())
