"""Give each rule with a job its log, called as the rule and its wildcards are, its measured cost, a line when it starts,
and the digest of its script's code, where the rule does not say which code it runs.

A preset may have larger jobs than the rules ask for: its block `resources` says so; --set-resources goes before both.

Here all rules are known, so that a misspelt one is told which was meant.
"""

try:
    check_targets(TARGETS, ["all", *(rule.name for rule in workflow.rules)], config["preset"])
    check_resources(config["resources"], [rule.name for rule in workflow.rules])
except InputError as error:
    refuse(error)

for each in workflow.rules:
    each.resources.update(Resources.from_mapping(config["resources"].get(each.name, {})))
    each.resources.update(workflow.resource_settings._parsed_overwrite_resources.get(each.name, {}))
    # long work, and data before it: begun last, it would be waited for with cores idle
    each.priority = int(each.name in config["together"] or each.name.startswith(("train_", "audit_")))
    each.priority += 2 * each.name.startswith(("prepare_", "draw_"))
    if each.shellcmd:
        in_path = re.findall(r"\{\w+\}", strip_wildcard_constraints(next(iter(each.output), "")))
        job = [each.name, *(["all"] if each.name in config["together"] else in_path)]
        each.log_modifier = each.benchmark_modifier = each.output_modifier
        each.set_log(layout.log(*job))
        each.benchmark = layout.benchmark(*job)
        if "code" not in each.params.keys():
            each.set_params(code=code(*re.findall(r"scripts\.(\w+)", each.shellcmd)))
        each.message = " ".join([each.name, "{wildcards}:" if each.wildcard_names else "-", each.docstring])


# of jobs that follow in this run the outputs are dated anew
onstart:
    if not workflow.touch:
        starting = list(workflow.dag.needrun_jobs())
        made = {file for job in starting for file in job.output}
        try:
            check_dates({file for job in starting for file in job.input} - made, time.time())
        except InputError as error:
            refuse(error)
