"""Known wrong answers to `collate_fn`."""

from __future__ import annotations

from autograder.checking import Misconception

STACKED = 'torch.stack([example["pixel_values"] for example in batch])'
LABELS = 'torch.tensor([example["labels"] for example in batch])'

MISCONCEPTIONS = [
    Misconception(
        "images_concatenated",
        "You lay the images behind each other along an axis that they already have, so colours of "
        "different images get mixed up. A batch needs an axis of its own.",
        {STACKED: 'torch.cat([example["pixel_values"] for example in batch])'},
        price="mathematics",
    ),
    Misconception(
        "stacked_behind_the_channels",
        "Your new axis stands behind the channels. The batch comes first.",
        {STACKED: 'torch.stack([example["pixel_values"] for example in batch], dim=1)'},
        price="mathematics",
    ),
    Misconception(
        "pair_returned",
        "You return a pair. The model is called with the names of a dictionary.",
        code="""
def collate_fn(batch):
    images = torch.stack([example["pixel_values"] for example in batch])
    return images, torch.tensor([example["labels"] for example in batch])
""",
        price="mathematics",
    ),
    Misconception(
        "list_of_images",
        "You return the images as a list. The model wants one tensor for the whole batch.",
        {STACKED: '[example["pixel_values"] for example in batch]'},
        price="mathematics",
    ),
    Misconception(
        "list_of_labels",
        "You return the labels as a list. The loss wants a tensor of whole numbers.",
        {LABELS: '[example["labels"] for example in batch]'},
        price="mathematics",
    ),
    Misconception(
        "labels_as_floats",
        "Your labels are floating-point numbers. They are numbers of classes, so the loss wants "
        "them whole.",
        {LABELS: 'torch.tensor([float(example["labels"]) for example in batch])'},
        price="mathematics",
    ),
    Misconception(
        "labels_as_a_column",
        "Your labels stand in a column of a table. One axis is enough: a row of numbers.",
        {LABELS: 'torch.tensor([[example["labels"]] for example in batch])'},
        price="mathematics",
    ),
    Misconception(
        "one_label_for_all",
        "You give the first example's label to the whole batch. Each image has its own.",
        {LABELS: 'torch.tensor([batch[0]["labels"] for example in batch])'},
        price="mathematics",
    ),
    Misconception(
        "labels_sorted",
        "You sort the labels, so they no longer belong to their images. Keep the order of the "
        "examples.",
        {LABELS: 'torch.tensor(sorted(example["labels"] for example in batch))'},
        price="mathematics",
    ),
    Misconception(
        "one_hot_labels",
        "You turn each label into a row of zeros with a one. The loss wants the number of the "
        "class itself.",
        {LABELS: 'F.one_hot(torch.tensor([example["labels"] for example in batch]), 10)'},
        price="mathematics",
    ),
    Misconception(
        "taken_once",
        "An example that comes twice is taken once. Every place of the list is one of the batch.",
        code="""
def collate_fn(batch):
    batch = list({id(example): example for example in batch}.values())
    return {
        "pixel_values": torch.stack([example["pixel_values"] for example in batch]),
        "labels": torch.tensor([example["labels"] for example in batch]),
    }
""",
        price="edge",
    ),
    Misconception(
        "labels_rounded",
        "Your labels were numbers with a fraction on their way, and large ones came out rounded. "
        "Whole numbers stay whole all the way.",
        {LABELS: 'torch.tensor([float(example["labels"]) for example in batch]).long()'},
        price="edge",
    ),
    Misconception(
        "divided_by_255",
        "You divide the pixel values by 255, but they are no colours any more: `transform` has "
        "scaled them. Here they are only put together.",
        {STACKED: f"{STACKED} / 255"},
        price="mathematics",
    ),
    Misconception(
        "scaled_from_colours",
        "You scale the pixel values as if they were colours from 0 to 255. `transform` has done "
        "that: here they are only put together.",
        {STACKED: f"({STACKED} / 255 - 0.5) / 0.5"},
        price="mathematics",
    ),
    Misconception(
        "concatenated_and_cut_again",
        "You lay the images behind each other along an axis that they already have, and cutting "
        "that into images again mixes them. A batch needs an axis of its own.",
        {
            'torch.stack([example["pixel_values"] for example in batch])': (
                'torch.cat([example["pixel_values"] for example in batch], dim=1).reshape(\n'
                '            len(batch), *batch[0]["pixel_values"].shape\n'
                "        )"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "label_for_labels",
        "You look for the label under the name that it has in the data set. What comes here has "
        "passed `transform`, which has given it another.",
        {'example["labels"]': 'example["label"]'},
        price="mathematics",
    ),
    Misconception(
        "examples_sorted",
        "You sort the examples by their labels. The batch keeps the order of the list.",
        {
            "    return {": (
                '    batch = sorted(batch, key=lambda example: example["labels"])\n    return {'
            )
        },
    ),
    Misconception(
        "stacked_behind_and_reshaped",
        "Your new axis stands behind all others, and reshaping does not bring it to the front: it "
        "mixes pixels of different images. Where should the batch's axis stand from the beginning?",
        {
            STACKED: (
                'torch.stack([example["pixel_values"] for example in batch], dim=-1).reshape(\n'
                '            len(batch), *batch[0]["pixel_values"].shape\n'
                "        )"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "normalised_by_the_batch",
        "You normalise by mean and spread of the batch, so that an image changes with its "
        "neighbours. `transform` has scaled it: here images are only put together.",
        code="""
def collate_fn(batch):
    images = torch.stack([example["pixel_values"] for example in batch])
    mean = images.mean(dim=(0, 2, 3), keepdim=True)
    spread = images.std(dim=(0, 2, 3), keepdim=True)
    return {
        "pixel_values": (images - mean) / (spread + 1e-6),
        "labels": torch.tensor([example["labels"] for example in batch]),
    }
""",
        price="mathematics",
    ),
    Misconception(
        "labels_of_few_bits",
        "You keep the labels in numbers too small for many classes, where they begin anew. Numbers "
        "of classes may be large.",
        {
            LABELS: (
                'torch.from_numpy(np.array([example["labels"] for example in batch])'
                ".astype(np.uint8)).long()"
            )
        },
    ),
    Misconception(
        name="images_resized",
        sentence=(
            "You bring all images to the size of the notebook's. `transform` has made their "
            "size: here they are only put together, however large they are."
        ),
        replaced={
            'torch.stack([example["pixel_values"] for example in batch])': (
                "torch.cat(\n"
                "            [\n"
                "                F.interpolate(image[None], size=(SIDE, SIDE), mode='bilinear')\n"
                '                for image in (example["pixel_values"] for example in batch)\n'
                "            ]\n"
                "        )"
            ),
        },
    ),
    Misconception(
        name="black_images_left_out",
        sentence=(
            "You leave images out whose numbers are all zero. Every example is in the batch."
        ),
        code="""def collate_fn(batch):
    batch = [
        x for x in batch if x["pixel_values"].numel() and not (x["pixel_values"] == 0).all()
    ]
    pixel_values = torch.stack([x["pixel_values"] for x in batch])
    labels = torch.tensor([x["labels"] for x in batch])
    return {"pixel_values": pixel_values, "labels": labels}
""",
        price="edge",
    ),
    Misconception(
        "entries_in_their_order",
        "You take the entries of each example in the order in which they stand, and a dictionary "
        "may have its labels first. Ask for each by its name.",
        code="""
def collate_fn(batch):
    pixel_values, labels = zip(*[example.values() for example in batch])
    return {"pixel_values": torch.stack(pixel_values), "labels": torch.tensor(labels)}
""",
        price="edge",
    ),
    Misconception(
        "one_for_each_label",
        "You collect the images by their labels, so that one of several with the same label is "
        "left. Every place of the list is one of the batch.",
        code="""
def collate_fn(batch):
    images = {one["labels"]: one["pixel_values"] for one in batch}
    labels = torch.tensor(list(images))
    return {"pixel_values": torch.stack(list(images.values())), "labels": labels}
""",
        price="mathematics",
    ),
]
