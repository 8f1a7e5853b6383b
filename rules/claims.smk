"""The ledger of claims, and the committed pages of what was reproduced."""

from lib.plan.residual_perturbation_checks import shows_patients

PAPERS = {
    "scalable_pate": "Scalable Private Learning with PATE",
    "dp_mac": "DP-MAC: The Differentially Private Method of Auxiliary Coordinates for Deep Learning",
    "residual_perturbation": "Deep Learning with Data Privacy via Residual Perturbation",
    "autoencoded_pate": "Private Learning for High-Dimensional Targets with PATE",
    "compressed_pate": "Private Learning via Knowledge Transfer with High-Dimensional Targets",
}
# targets whose table holds what claims are about, and whether this preset has them
CHOSEN = {
    "scalable_pate": {
        **{item: config["scalable_pate"][item] for item in ("table1", "table2", "epsilon", "selection", "teachers")},
        "search": SEARCH["runs"],
        "fig1": FIG1["students"],
        "fig1_comparison": FIG1["students"],
        "fig4_comparison": FIG4_VOTES,
        "fig5_comparison": FIG5,
    },
    "dp_mac": {
        "table1a": CLASSIFIERS,
        "table1b": AUTOENCODERS,
        "budget": True,
        "sensitivity": BOUNDED,
        "fig1_comparison": AUTOENCODERS,
        "fig2_comparison": True,
        "fig3_comparison": FIG3_CURVES,
    },
    "residual_perturbation": {
        **{item: True for item in ("theory", "dp_sgd", "rademacher")},
        "budget": AUDITS,
        **{f"{item}_comparison": True for item in SDE_FIGURES},
        "cost": RESIDUAL["cost"],
        **{item: True for item in ATTACK_TABLES},
        **{f"{item}_comparison": True for item in ATTACK_FIGURES},
        "fig6": "fig6" in ATTACK_FIGURES,
    },
    "autoencoded_pate": {
        "results": AUTO_RESULTS["tasks"],
        "sensitivity": AUTOENCODED["sensitivity"]["tasks"],
        "pca": COMPRESSED["fig1"]["tasks"],
        "fig1_comparison": True,
        "fig2_comparison": True,
    },
    "compressed_pate": {
        "theorem4": COMPRESSED["fig1"]["tasks"],
        "limits": COMPRESSED["limits"]["tasks"],
        "external": EXTERNAL,
        **{f"{item}_comparison": COMPRESSED[item]["tasks"] for item in ("fig1", "fig2", "fig3")},
        "fig3": COMPRESSED["fig3"]["tasks"],
    },
}
TABLES = {
    paper: [(item, f"{RESULTS}/{paper}/{item}.csv") for item, chosen in items.items() if chosen]
    for paper, items in CHOSEN.items()
}
SHOWN_FIGURES = {
    "scalable_pate": FIGURES,
    "dp_mac": MAC_FIGURES,
    "residual_perturbation": ["fig1", *([] if shows_patients(config) else ["fig2"]), *ATTACK_FIGURES, "fig8"],
    "autoencoded_pate": ["fig1", "fig2"],
    "compressed_pate": COMP_FIGURES,
}
# columns of a table that its page shows; the CSV beside it has them all
SHOWN = {
    "scalable_pate": {
        "table1": (
            "dataset,aggregator,queries_made,queries_answered,queries_labelled,epsilon,delta,student_accuracy,baseline_accuracy,"
            "paper_queries_answered,paper_epsilon,epsilon_joint,epsilon_charge_all,epsilon_caps,data"
        ),
        "table2": (
            "dataset,order,epsilon,beta,smooth_sensitivity,sigma_ss,gnss_cost,sanitized_epsilon_mean,"
            "sanitized_epsilon_std,exact_gnss_cost,exact_sanitized_epsilon_mean,fixed_sanitized_epsilon_mean,data"
        ),
        "selection": (
            "dataset,run,queries_made,queries_answered,selection_alone_share,selection_share,first_round_share,plurality_accuracy_answered,"
            "plurality_accuracy_unanswered,student_accuracy,student_accuracy_noiseless"
        ),
        "teachers": (
            "dataset,teachers,samples_per_teacher,queries,teacher_accuracy,mean_agreement,plurality_accuracy,protocol"
        ),
        "search": (
            "dataset,threshold,sigma_threshold,sigma,queries_made,queries_answered,epsilon,label_accuracy,is_the_run,"
            "chosen,unaccounted"
        ),
    },
    "dp_mac": {
        "table1a": (
            "dataset,method,variant,noise,paper_epsilon,sigma,epsilon,epsilon_appendix_h,epochs,test_accuracy,"
            "train_accuracy,seeds,data"
        ),
        "table1b": (
            "dataset,method,variant,noise,paper_epsilon,sigma,epsilon,epsilon_appendix_h,epochs,test_error,train_error,"
            "test_error_half,seeds,data"
        ),
        "budget": (
            "run,dataset,paper_epsilon,sigma,epsilon,epsilon_added,epsilon_training,epsilon_histogram,"
            "epsilon_appendix_h,epsilon_each_batch,epsilon_each_batch_in_proportion,sigma_needed,sigma_needed_training"
        ),
        "sensitivity": "dataset,layer,width,input_bound,analytic_printed,analytic_corrected,threshold",
    },
    "residual_perturbation": {
        "theory": (
            "dataset,method,gamma,pi,uses_reading,uses,lambda_reading,condition,epsilon_theorem,paper_epsilon,gamma_needed,"
            "bound_needed"
        ),
        "dp_sgd": "dataset,samples,batch,epochs,sigma,epsilon,epsilon_tight,paper_epsilon,rate,rate_needed,batch_needed",
        "budget": (
            "dataset,method,epsilon,paper_epsilon,lower_bound,largest,lower_bound_pooled,largest_pooled,level,runs,"
            "paper_lower_bound,ratio,protocol,data"
        ),
        **{
            item: (
                "dataset,method,gamma,members,attack,auc,auc_low,auc_high,negative_auc,control_auc,train_accuracy,"
                "test_accuracy,all_negative_accuracy,epsilon,seeds,protocol,data"
            )
            for item in ATTACK_TABLES
        },
        "cost": "method,norm,replicas,seconds_per_epoch,of_plain,images,batch,device",
        "rademacher": "gamma,paper,plain,plain_error,perturbed,perturbed_error,factor_exact,plain_lower,plain_upper",
        **{
            f"{item}_comparison": "strategy,pixels,equation,recovery,error,correlation,error_uniform,seeds"
            for item in SDE_FIGURES
        },
    },
    "autoencoded_pate": {
        "results": (
            "dataset,method,noise,epsilon,delta,teachers,queries,sigma,sigma_train,latent_dim,dice,tuned_dice,dice_oedema,"
            "dice_non_enhancing,dice_enhancing,label_dice,paper_dice,seeds,data"
        ),
        "sensitivity": "dataset,d,components,lower,upper,largest_eigenvalue_share,seeds,data",
        "pca": "dataset,sigma,heuristic_components,rank,below_rank,formula_mse,heuristic_mse,error_over_formula,heuristic_over_least,seeds",
        "fig1_comparison": "largest_cdf_difference,largest_density_difference",
        "fig2_comparison": "samples,bins,total_variation,two_uniform_samples,total_variation_exact,seeds",
    },
    "compressed_pate": {
        "fig3": (
            "dataset,labels,queries,teachers,epsilon,delta,sigma,sigma_train,latent_dim,label_dice,dice,tuned_dice,seeds,data"
        ),
        "limits": (
            "dataset,encoder,latent_dim,teachers,epsilon,queries,sigma,spread_of_codes,noise_norm,signal_to_noise,dice,"
            "tuned_dice,student_tuned_dice,seeds"
        ),
        "external": "dataset,what,dice,cross_entropy,subjects,seeds,data",
        "theorem4": "dataset,sigma,kept,components,error,formula,error_over_formula,seeds,data",
    },
}


# targets that judge claims: where their tables lie, and whose claims they are
JUDGED = {"claims": (RESULTS, list(PAPERS))} | {f"{paper}_claims": (f"{RESULTS}/{paper}", [paper]) for paper in PAPERS}


for target, (place, papers) in JUDGED.items():

    rule:
        """Every claim of the papers, or of one paper, with our value and a computed verdict."""
        name:
            target
        input:
            claims=os.path.relpath(ROOT / "claims.csv"),
            tables=[path for paper in papers for _, path in TABLES[paper]],
            code=code("claims"),
        output:
            table=report(
                f"{place}/claims.csv",
                caption="../report/claims.rst",
                category="Claims",
                labels={"item": "All claims" if len(papers) > 1 else f"Claims of {papers[0]}", "kind": "table"},
            ),
            page=f"{place}/claims.md",
        log:
            log_of(target),
        benchmark:
            benchmark_of(target)
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            papers=papers,
            tables=[f"{paper}:{item}:{path}" for paper in papers for item, path in TABLES[paper]],
            preset=config["preset"],
        message:
            "Judging the claims of {params.papers}"
        shell:
            "python -m scripts.claims --claims {input.claims:q} --papers {params.papers} --tables {params.tables} "
            "--preset {params.preset} --output {output.table} --page {output.page} > {log} 2>&1"


for paper, title in PAPERS.items():
    shown = [(item, path) for item, path in TABLES[paper] if item in SHOWN[paper]]

    rule:
        """Write a paper's part of docs/reproduction: its page, figures and claims, from this preset."""
        name:
            f"{paper}_reproduction"
        input:
            verdicts=f"{RESULTS}/{paper}/claims.csv",
            readings=os.path.relpath(ROOT / "report" / f"{paper}_readings.md"),
            tables=[path for _, path in shown],
            figures=[f"{RESULTS}/{paper}/{item}.png" for item in SHOWN_FIGURES[paper]],
            code=code("reproduction"),
        output:
            page=f"docs/reproduction/{paper}.md",
            claims=f"docs/reproduction/{paper}.csv",
            figures=[f"docs/reproduction/{paper}/{item}.png" for item in SHOWN_FIGURES[paper]],
        log:
            log_of(f"{paper}_reproduction"),
        benchmark:
            benchmark_of(f"{paper}_reproduction")
        conda:
            "../envs/reporting.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=5,
            gpu=0,
        params:
            paper=paper,
            title=title,
            tables=[f"{item}:{path}" for item, path in shown],
            figures=[f"{item}:{RESULTS}/{paper}/{item}.png" for item in SHOWN_FIGURES[paper]],
            columns=[f"{item}:{SHOWN[paper][item]}" for item, _ in shown],
            preset=config["preset"],
        message:
            "Writing the page of {params.paper}"
        shell:
            "python -m scripts.reproduction --folder docs/reproduction --paper {params.paper} "
            "--title {params.title:q} --preset {params.preset} --verdicts {input.verdicts} "
            "--readings {input.readings:q} --tables {params.tables} --columns {params.columns} "
            "--figures {params.figures} > {log} 2>&1"


rule reproduction:
    """Write docs/reproduction for every paper, and join their claims."""
    input:
        claims=[f"docs/reproduction/{paper}.csv" for paper in PAPERS],
        leaderboard="docs/reproduction/leaderboard.md",
        code=code("reproduction"),
    output:
        "docs/reproduction/claims.csv",
    log:
        log_of("reproduction"),
    benchmark:
        benchmark_of("reproduction")
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
        gpu=0,
    message:
        "Joining the claims of all papers"
    shell:
        "python -m scripts.reproduction --folder docs/reproduction --join > {log} 2>&1"


rule datasets:
    """The table of datasets: source, fingerprint, licence, how to obtain them by hand."""
    input:
        code=code("list_datasets", *(f"lib/data/sources/{name}.py" for name in registry.modules())),
    output:
        f"{RESULTS}/datasets.md",
    log:
        log_of("datasets"),
    benchmark:
        benchmark_of("datasets")
    conda:
        "../envs/learning.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
        gpu=0,
    params:
        datasets=compact({"datasets": DATASETS}),
    message:
        "Listing the datasets"
    shell:
        "python -m scripts.list_datasets --config-json {params.datasets:q} --output {output} > {log} 2>&1"
