"""The table of aggregators is the one place that tells them apart."""

from lib.core.code_inputs import ROOT, code_files


def test_what_accounts_and_aggregates_looks_an_aggregator_up_and_knows_none_by_name():
    files = {file for script in ("account", "aggregate") for file in code_files(f"scripts/{script}.py")}
    asking = {str(file.relative_to(ROOT)) for file in files if '"aggregator"' in file.read_text(encoding="utf-8")}
    assert asking == {"lib/pate/aggregators.py", "scripts/aggregate.py"}
