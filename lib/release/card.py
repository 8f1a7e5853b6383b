"""The model card: a page that follows from the JSON files of a release alone, so that it can be checked."""

from lib.release.statement import shown

_DRAWS = {
    "threshold": "noisy checks of the plurality",
    "gnmax": "noisy votes",
    "discrete_threshold": "noisy checks of the plurality, discrete noise",
    "discrete_gnmax": "noisy votes, discrete noise",
    "lnmax": "noisy votes, Laplace noise",
    "gnss": "release of the data-dependent epsilon",
}


def card(privacy: dict, student: dict, environment: dict) -> str:
    """Return the page, Markdown, of privacy.json, student.json and environment.json."""
    announced, spent = privacy["announced"]["statement"], privacy["spent"]["statement"]
    unknown = privacy["noise_seed"] is None
    epsilon = "The epsilon" if unknown else "That epsilon"
    limits = [
        f"{epsilon} is of this folder alone. Whatever else is made of the same private data and published (other runs, "
        "tables, figures, the same run again with fresh noise) costs more, and is not in this ledger.",
        "It takes the parameters of the mechanism as given. If they were chosen by looking at the private data, that "
        "cost is not in it.",
        "Which records are public and which private was decided without looking at them. The epsilon is of the "
        "private records only, and one record is one sample: for somebody with several samples it is larger.",
        f"The accuracy was measured on {student['test_samples']:,} public samples of the same source; elsewhere it may "
        "differ.",
        "Attacks: none are reported here. A success rate measured on the private records would depend on them beyond "
        "the ledger.",
        "Checks of this folder show that it agrees with itself, not who made it: only a signature of SHA256SUMS does. "
        "What nobody else can recompute (how the noise was drawn, the weights, names in `this type`) is the author's "
        "word.",
    ]
    if privacy["noise"] == "continuous":
        limits.append(
            "The noise is continuous in the accounting and a floating-point number in the computer. Discrete noise is "
            "exact."
        )
    if privacy["noise"] == "continuous" and unknown:
        limits.append("The operating system's entropy starts a generator that is not made for cryptography.")
    rows = [
        f"| {_DRAWS[draw['mechanism']]} | {draw['count']} | "
        f"{', '.join(f'{name} {value}' for name, value in draw['parameters'].items())} |"
        for draw in privacy["spent"]["draws"]
    ]
    sanitized = privacy["sanitized"]
    licence = f"`{student['licence']}`" if student["licence"] else "none chosen yet (release.licence)"
    sources = environment["commit"]
    made_by = f"the project's commit `{sources}`" if sources else "sources of the project that are of no known commit"
    return "\n".join(
        [
            f"# Student of `{student['label']}`",
            "",
            f"> {privacy['meaning']}",
            "",
            "## What it is",
            "",
            f"A classifier of {student['classes']} classes ({student['model']['kind']}) for samples of shape "
            f"{' x '.join(map(str, student['shape']))}, trained on {student['labels']} labels that the noisy votes of "
            f"{student['teachers']} teachers gave to public samples. The teachers, not the student, saw private data "
            "(Papernot et al. 2018).",
            "",
            f"- Data: `{student['dataset']}`; {student['private_samples']:,} private samples, "
            f"{student['public_samples']:,} public ones.",
            f"- Accuracy: {student['accuracy']:.2f} % of {student['test_samples']:,} public test samples.",
            f"- Licence: {licence}.",
            f"- Made by {made_by}.",
            "",
            "## How to load it",
            "",
            "```sh",
            "python load_student.py SAMPLES.npz   # arrays x_test, y_test; needs numpy and safetensors",
            "```",
            "",
            "`load_student.load().probabilities(x)` gives class probabilities. The test samples are not part of this "
            f"folder; theirs and the public pool's fingerprint is `{student['public_fingerprint']}`.",
            "",
            "## What the draws of noise cost",
            "",
            *([] if unknown else ["What they would cost if nobody knew the noise:", ""]),
            _claim("Announced before the run, whatever the data", announced, unknown),
            _claim("Spent by the draws that were made", spent, unknown),
            *(
                [
                    f"- Data-dependent, drawn with noise of its own and cut at 0: {shown(sanitized['epsilon'])}. A "
                    "reading that may be far from what this run cost, on either side; no bound."
                ]
                if sanitized
                else []
            ),
            "",
            "| draws | number | noise |",
            "| --- | --- | --- |",
            *rows,
            "",
            "`python -m scripts.verify_release --folder DIR` of the project computes these again from privacy.json.",
            "",
            "## Limits",
            "",
            *(f"- {limit}" for limit in limits),
            "",
        ]
    )


def _claim(what: str, statement: dict, unknown: bool) -> str:
    """Return an epsilon, and with noise that nobody knows whether it is a guarantee."""
    relation = statement["neighbouring"].replace("_", "-")
    holds = ("; a guarantee" if statement["guarantee"] else "; no guarantee") if unknown else ""
    return (
        f"- {what}: epsilon {shown(statement['epsilon'])} at delta {statement['delta']}, {relation} neighbours{holds}."
    )
