"""The collections by name: opened where their files are, and otherwise told where they belong."""

import pytest

from lib.core.errors import InputError
from lib.data import registry as datasets
from lib.data.volumes import registry

PHANTOM = {"shape": [16, 16, 16], "seed": 1, "subjects": 3}


def test_every_collection_is_opened_where_its_files_are(
    decathlon, hippocampus, brats2019, brats2013, lgg_mri, tmp_path
):
    found = {
        name: registry.get(name, PHANTOM if name == "brain_phantom" else {}, tmp_path) for name in registry.VOLUMES
    }
    assert {name: len(source.subjects()) for name, source in found.items()} == {
        "brain_phantom": 3,
        "msd_brain_tumour": 2,
        "msd_hippocampus": 2,
        "brats2019": 3,
        "lgg_mri": 3,
        "brats2013": 2,
    }
    for collection, source in found.items():
        assert source.classes == registry.VOLUMES[collection].classes
        name = source.subjects()[0]
        volume = source.read(name)
        assert volume.name == name and source.patient(name)
        assert volume.image.shape == (len(source.channels), *volume.label.shape)
        assert volume.label.max() <= 3 and (volume.label == source.label(name)).all()


def test_required_files_are_what_a_rule_can_watch(decathlon, brats2019, lgg_mri, tmp_path):
    assert registry.required_files("brain_phantom", None) == []
    assert registry.required_files("msd_brain_tumour", tmp_path) == [
        decathlon / "dataset.json",
        decathlon / "imagesTr",
        decathlon / "labelsTr",
    ]
    assert registry.required_files("brats2019", tmp_path) == [brats2019 / "HGG", brats2019 / "LGG"]
    found = registry.required_files("lgg_mri", tmp_path)
    assert found == [lgg_mri]
    assert lgg_mri / "TCGA_CS_4941_19960909" in datasets.watched(found)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("msd_brain_tumour", r"Task01_BrainTumour/dataset\.json.* not there; put Task01_BrainTumour/\{dataset\.json"),
        ("brats2019", r"HGG, .*LGG not there; put MICCAI_BraTS_2019_Data_Training/\{HGG,LGG\}/CASE.*register"),
        ("msd_hippocampus", r"imagesTr, .*labelsTr not there; put msd_hippocampus/\{imagesTr,labelsTr\}/.*Task04"),
        ("lgg_mri", r"lgg_mri not there; put lgg_mri/PATIENT/\{flair,mask\}\.nii\.gz"),
        ("brats2013", r"brats2013 not there; put brats2013/CASE/"),
    ],
)
def test_missing_files_are_named_with_their_place_and_origin(tmp_path, name, fault):
    for call in (lambda: registry.required_files(name, tmp_path), lambda: registry.get(name, {}, tmp_path)):
        with pytest.raises(InputError, match=fault) as caught:
            call()
        assert str(tmp_path) in str(caught.value) and "http" in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="need 'data_root'"):
        registry.required_files(name, None)


def test_a_part_of_decathlon_is_not_enough_and_one_grade_of_brats_is(decathlon, brats2019, tmp_path):
    (decathlon / "labelsTr").rename(tmp_path / "labels")
    with pytest.raises(InputError, match=r"'msd_brain_tumour': .*/labelsTr not there") as caught:
        registry.required_files("msd_brain_tumour", tmp_path)
    assert "imagesTr not there" not in str(caught.value)
    (brats2019 / "LGG").rename(tmp_path / "low")
    assert len(registry.get("brats2019", {}, tmp_path).subjects()) == 2


def test_other_names_and_settings_are_refused():
    with pytest.raises(InputError, match="unknown volumes 'brats2020', allowed: brain_phantom, msd_brain_tumour"):
        registry.get("brats2020", {}, None)
    with pytest.raises(InputError, match="unknown settings noise; allowed: shape, seed"):
        registry.get("brain_phantom", PHANTOM | {"noise": 1}, None)
    with pytest.raises(InputError, match="settings seed, subjects missing"):
        registry.get("brain_phantom", {"shape": [16, 16, 16]}, None)
    with pytest.raises(InputError, match="0 subjects"):
        registry.get("brain_phantom", PHANTOM | {"subjects": 0}, None)
