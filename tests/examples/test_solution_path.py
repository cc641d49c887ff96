import re

import solution_path


def test_the_script_draws_a_certified_path(tmp_path, capsys):
    solution_path.main(tmp_path)
    said = capsys.readouterr().out
    assert (tmp_path / "solution_path.png").stat().st_size > 20_000
    assert float(re.search(r"largest relative gap among them: (\S+)", said)[1]) < 1e-7
    assert float(re.search(r"error (\S+)", said)[1]) < 0.1
