"""Train a network by gradients, private (DP-SGD) or not (backpropagation): one repetition."""

from lib.dp_mac.accounting import MacRun, one_block
from lib.dp_mac.backpropagation import train_dp_sgd
from lib.dp_mac.task import evaluation, inputs_and_targets, named_weights, network_of
from lib.dp_sgd.training import SgdRecipe, account
from lib.training.device import choose_device
from scripts import cli
from scripts.curve import read_curve


def main(argv: list[str] | None = None) -> None:
    """Write the curves, the weights, and the record with what the training cost."""
    job = read_curve(__doc__, argv)
    arguments = job.arguments
    (repetition,) = arguments.repetitions
    network = network_of(job.images, job.series["network"], job.series["classes"])
    recipe = SgdRecipe(**job.series["recipe"])
    x, y = inputs_and_targets(network, job.images)

    def run_at(sigma: float) -> MacRun:
        return one_block(account(len(x), recipe, sigma))

    sigma = job.sigma(run_at)
    device = choose_device(arguments.device, arguments.threads)
    with job.checkpoint(__file__) as checkpoint:
        trained = train_dp_sgd(
            network,
            x,
            y,
            recipe,
            sigma or 0.0,
            arguments.seed,
            tuple(arguments.job),
            str(repetition),
            device,
            evaluation(network, job.images, device),
            checkpoint,
            cli.progress("epochs"),
        )
        privacy = {} if sigma is None else job.privacy(run_at(sigma))
        job.write(trained.curves, named_weights(trained.weights), sigma, privacy)
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
