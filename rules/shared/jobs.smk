"""What each rule with a job has besides what it says itself: what the job costs, measured, and a line when it starts."""

for each in workflow.rules:
    if each.log:
        each.benchmark_modifier = each.log_modifier
        each.benchmark = layout.beside_log(*each.log)
        each.message = " ".join([each.name, "{wildcards}:" if each.wildcard_names else "-", each.docstring])
