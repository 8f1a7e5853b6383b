"""The networks of a segmentation task, apart from what needs none: importing MONAI takes seconds."""

from lib.models.unet3d import UNet3D
from lib.segmentation.job import SegmentationJob
from lib.segmentation.training import SegmentationRecipe

PUBLIC = 10  # public volumes, at most, on which a threshold is chosen


def network_of(job: SegmentationJob) -> UNet3D:
    """The network of a task's teachers and students."""
    return UNet3D(channels=len(job.prepared.channels), outputs=job.shape[0], widths=tuple(job.task["widths"]))


def recipe_of(job: SegmentationJob, name: str) -> SegmentationRecipe:
    """How a task's networks train, as its block `name` says."""
    return SegmentationRecipe(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in job.task[name].items()}
    )
