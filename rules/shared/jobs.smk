"""What each rule with a job has besides what it says itself: what the job costs, measured, and a line when it starts.

Here all rules are known, so that a misspelt one is told which was meant.
"""

try:
    check_targets(sys.argv, ["all", *(rule.name for rule in workflow.rules)])
except InputError as error:
    refuse(error)


def as_written(path):
    """A path as its rule gives it: where a profile names a default storage, Snakemake has set that one's prefix before it."""
    if not path.is_storage:
        return path
    return path.storage_object.query.removeprefix(workflow.storage_settings.default_storage_prefix).removeprefix("/")


for each in workflow.rules:
    if each.log:
        each.benchmark_modifier = each.log_modifier
        each.benchmark = layout.beside_log(as_written(*each.log))
        each.message = " ".join([each.name, "{wildcards}:" if each.wildcard_names else "-", each.docstring])
