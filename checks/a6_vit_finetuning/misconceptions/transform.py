"""Known wrong answers to `transform`."""

from __future__ import annotations

from autograder.checking import Misconception

IN_COLOUR = 'picture.convert("RGB") for'
PROCESSED = 'processor(pictures, return_tensors="pt")'
RESULT = '{"pixel_values": inputs["pixel_values"], "labels": batch["label"]}'
LABELS = '"labels": batch["label"]'

MISCONCEPTIONS = [
    Misconception(
        "label_without_s",
        "You hand the labels on under the name that they have in the data set. The model asks for "
        "them under another name, which the specification spells.",
        {LABELS: '"label": batch["label"]'},
        price="learning",
    ),
    Misconception(
        "pair_returned",
        "You return a pair. A data set wants a dictionary, so that every column has its name.",
        {RESULT: 'inputs["pixel_values"], batch["label"]'},
        price="mathematics",
    ),
    Misconception(
        "labels_forgotten",
        "Your result holds the pixel values alone, so nothing can be learned from it. The labels "
        "have to travel along.",
        {f", {LABELS}": ""},
        price="learning",
    ),
    Misconception(
        "numpy_arrays",
        "Your processor returns NumPy arrays, because it was not told that tensors are wanted. One "
        "more argument of the call says which kind of numbers should come back.",
        {PROCESSED: "processor(pictures)"},
        price="mathematics",
    ),
    Misconception(
        "not_converted",
        "You give the images to the processor in the mode that they happen to have. Grey and "
        "transparent ones have another number of channels, so convert them first.",
        {IN_COLOUR: "picture for"},
        price="edge",
    ),
    Misconception(
        "not_normalised",
        "Your pixel values reach from 0 to 1: mean and standard deviation are not applied. Let the "
        "processor do everything that it was made for.",
        {PROCESSED: 'processor(pictures, return_tensors="pt", do_normalize=False)'},
        price="mathematics",
    ),
    Misconception(
        "divided_twice",
        "You divide the colours by 255 before the processor divides them by 255 again, so all "
        "pixel values come out nearly alike. Give it the images as they are.",
        {PROCESSED: 'processor([np.asarray(one) / 255 for one in pictures], return_tensors="pt")'},
        price="mathematics",
    ),
    Misconception(
        "not_rescaled",
        "Your pixel values are hundreds where they should be small: the division by 255 was "
        "switched off. Let the processor do everything that it was made for.",
        {PROCESSED: 'processor(pictures, return_tensors="pt", do_rescale=False)'},
        price="mathematics",
    ),
    Misconception(
        "resized_by_hand",
        "You resize the images yourself, in another way than the model was trained with. The "
        "processor resizes too: give it the images in their own size.",
        {IN_COLOUR: 'picture.convert("RGB").resize((SIDE, SIDE)) for'},
        price="mathematics",
    ),
    Misconception(
        "first_image_only",
        "You process one image of the batch and leave out the others. The processor takes a whole "
        "list at once.",
        {PROCESSED: 'processor(pictures[:1], return_tensors="pt")'},
        price="mathematics",
    ),
    Misconception(
        "channels_last",
        "You moved the colours to the last axis, as in a picture. The model wants them right after "
        "the batch, and that is how the processor returns them.",
        {'inputs["pixel_values"]': 'inputs["pixel_values"].permute(0, 2, 3, 1)'},
        price="mathematics",
    ),
    Misconception(
        "batch_changed",
        "You write the results into the batch that you were given, which changes it for everybody "
        "who still holds it. Make a new dictionary.",
        code="""
def transform(batch):
    pictures = [picture.convert("RGB") for picture in batch.pop("image")]
    batch["pixel_values"] = processor(pictures, return_tensors="pt")["pixel_values"]
    batch["labels"] = batch.pop("label")
    return batch
""",
        price="edge",
    ),
    Misconception(
        "images_turned_grey",
        "You convert all images to grey before you make them three-coloured again, so their "
        "colours are lost. Look at the mode that you convert to.",
        {IN_COLOUR: 'picture.convert("L").convert("RGB") for'},
        price="mathematics",
    ),
    Misconception(
        "colours_swapped",
        "Your first channel is blue and your last is red, as some other libraries keep images. "
        "Here red comes first.",
        {'inputs["pixel_values"]': 'inputs["pixel_values"].flip(1)'},
        price="mathematics",
    ),
    Misconception(
        "own_numbers",
        "You write size, mean and standard deviation into your code. They fit this model by "
        "chance; the notebook's `processor` knows those of the model that is in use.",
        code="""
def transform(batch):
    sized = [p.convert("RGB").resize((48, 48), Image.Resampling.BILINEAR) for p in batch["image"]]
    numbers = np.stack([np.asarray(one, dtype=np.float32) for one in sized]) / 127.5 - 1
    return {
        "pixel_values": torch.from_numpy(numbers).permute(0, 3, 1, 2),
        "labels": batch["label"],
    }
""",
        price="edge",
    ),
    Misconception(
        name="asks_the_first_image_alone",
        price="edge",
        sentence=(
            "You look at the first image to decide whether any has to be converted. A batch may "
            "hold grey images behind coloured ones."
        ),
        replaced={
            ('    pictures = [picture.convert("RGB") for picture in batch["image"]]\n'): (
                '    pictures = batch["image"]\n'
                '    if pictures[0].mode != "RGB":\n'
                '        pictures = [picture.convert("RGB") for picture in pictures]\n'
            ),
        },
    ),
    Misconception(
        name="only_grey_images_converted",
        price="edge",
        sentence=(
            "You convert grey images and no others. One with transparency, or with a palette, is "
            "not in RGB either."
        ),
        replaced={
            ('picture.convert("RGB") for picture'): (
                'picture.convert("RGB") if picture.mode == "L" else picture for picture'
            ),
        },
    ),
    Misconception(
        name="converted_in_the_batch_itself",
        price="surroundings",
        sentence=(
            "You write the converted images back into the list of the batch, which belongs to "
            "whoever called you. Make a new list."
        ),
        replaced={
            ('    pictures = [picture.convert("RGB") for picture in batch["image"]]\n'): (
                '    pictures = batch["image"]\n'
                "    for number, picture in enumerate(pictures):\n"
                '        if picture.mode != "RGB":\n'
                '            pictures[number] = picture.convert("RGB")\n'
            ),
        },
    ),
    Misconception(
        name="labels_as_fractions",
        sentence=(
            "You turn the labels into numbers with a fraction. They are to come back unchanged, as "
            "whole numbers."
        ),
        replaced={'"labels": batch["label"]}': '"labels": torch.tensor(batch["label"]).float()}'},
    ),
    Misconception(
        "laid_on_white",
        "You lay transparent images on a white ground before you convert them, which changes their "
        "colours. The question converts them as they are.",
        code="""
def transform(batch):
    pictures = []
    for picture in batch["image"]:
        if picture.mode in ("RGBA", "LA"):
            white = Image.new("RGBA", picture.size, "white")
            picture = Image.alpha_composite(white, picture.convert("RGBA"))
        pictures.append(picture.convert("RGB"))
    inputs = processor(pictures, return_tensors="pt")
    return {"pixel_values": inputs["pixel_values"], "labels": batch["label"]}
""",
        price="edge",
    ),
    Misconception(
        "shrunk_in_place",
        "You shrink the images that were handed in. `thumbnail` changes an image itself, and the "
        "processor finds the right size by its own means.",
        {
            "    pictures = [": (
                '    for picture in batch["image"]:\n'
                "        picture.thumbnail((96, 96))\n"
                "    pictures = ["
            )
        },
    ),
    Misconception(
        "sorted_by_label",
        "You sort the images by their labels. They stay in the order in which they came.",
        {
            "    pictures = [": (
                "    places = range(len(batch['label']))\n"
                '    pairs = sorted(zip(batch["label"], places), reverse=True)\n'
                '    batch = {\n        "image": [batch["image"][place] for _, place in pairs],\n'
                '        "label": [label for label, _ in pairs],\n    }\n'
                "    pictures = ["
            )
        },
    ),
    Misconception(
        "squares_cut_out",
        "You cut a square out of each image before the processor sees it, so what stands at the "
        "edges is lost. The processor takes the whole image.",
        {
            "    pictures = [": (
                "    def middle(picture):\n"
                "        side = min(picture.size)\n"
                "        left, top = (picture.width - side) // 2, (picture.height - side) // 2\n"
                "        return picture.crop((left, top, left + side, top + side))\n\n"
                "    pictures = ["
            ),
            IN_COLOUR: 'middle(picture.convert("RGB")) for',
        },
        price="mathematics",
    ),
    Misconception(
        "normalised_twice",
        "You normalise what the processor has normalised already. What it returns is what the "
        "model expects.",
        {'inputs["pixel_values"]': '(inputs["pixel_values"] - 0.5) / 0.5'},
        price="mathematics",
    ),
    Misconception(
        "all_handed_on",
        "You hand on all that came in, images and old labels too. Which entries of your result "
        "does the question name?",
        {RESULT: '{**batch, "pixel_values": inputs["pixel_values"], "labels": batch["label"]}'},
    ),
    Misconception(
        "batch_filled_and_returned",
        "You write your entries into the batch that was handed in and return all of it. Make a "
        "new dictionary of nothing but the two entries.",
        code="""
def transform(batch):
    pictures = [picture.convert("RGB") for picture in batch["image"]]
    batch["pixel_values"] = processor(pictures, return_tensors="pt")["pixel_values"]
    batch["labels"] = batch["label"]
    return batch
""",
        price="edge",
    ),
    Misconception(
        "one_hot_labels",
        "You turn each label into a row of zeros with a one. The labels are to come back "
        "unchanged, as the numbers of their classes.",
        {'"labels": batch["label"]}': '"labels": F.one_hot(torch.tensor(batch["label"]))}'},
    ),
    Misconception(
        "normalised_by_the_batch",
        "You normalise by mean and spread of the batch, so that an image changes with its "
        "neighbours. What the processor returns is what the model expects.",
        {
            '    return {"pixel_values": inputs["pixel_values"]': (
                '    pixels = inputs["pixel_values"]\n'
                "    pixels = (pixels - pixels.mean()) / pixels.std()\n"
                '    return {"pixel_values": pixels'
            )
        },
        price="mathematics",
    ),
    Misconception(
        "sorted_by_size",
        "You sort the images by their sizes. They stay in the order in which they came.",
        {
            "    inputs = ": "    pictures.sort(key=lambda picture: picture.size)\n    inputs = ",
        },
    ),
    Misconception(
        "numbers_of_imagenet",
        "You scale with mean and deviation of the pictures of ImageNet, which many models use, but "
        "not this one. The `processor` knows the numbers that its model was trained with.",
        {
            "    inputs = " + PROCESSED + "\n": (
                "    pictures = [picture.resize((SIDE, SIDE)) for picture in pictures]\n"
                "    colours = np.stack([np.array(picture) for picture in pictures]) / 255\n"
                "    colours = (colours - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]\n"
                "    pixels = torch.from_numpy(colours).permute(0, 3, 1, 2).float()\n"
                '    inputs = {"pixel_values": pixels}\n'
            )
        },
        price="mathematics",
    ),
    Misconception(
        "imagenet_given_to_the_processor",
        "You scale with mean and deviation of the pictures of ImageNet, whatever the `processor` "
        "holds. It came with the model and knows the numbers that this one was trained with.",
        {
            PROCESSED: (
                "processor(\n"
                '        pictures, return_tensors="pt",\n'
                "        image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225],\n"
                "    )"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "nearest_pixel",
        "You make images smaller by keeping single pixels and losing those between. In which way "
        "images are resized is a setting of the `processor`: leave it as it came.",
        {PROCESSED: 'processor(pictures, return_tensors="pt", resample=Image.Resampling.NEAREST)'},
        price="mathematics",
    ),
    Misconception(
        "contrast_stretched",
        "You stretch the contrast of each image before the processor sees it, so that its colours "
        "are others than before. The processor takes the image as it is.",
        {
            "    pictures = [": "    from PIL import ImageOps\n\n    pictures = [",
            IN_COLOUR: 'ImageOps.autocontrast(picture.convert("RGB")) for',
        },
        price="mathematics",
    ),
    Misconception(
        "other_modes_left_out",
        "You leave out the images that are not in colour, and their labels. Convert them: as many "
        "images come out as went in.",
        code="""
def transform(batch):
    kept = [number for number, one in enumerate(batch["image"]) if one.mode == "RGB"]
    inputs = processor([batch["image"][number] for number in kept], return_tensors="pt")
    labels = [batch["label"][number] for number in kept]
    return {"pixel_values": inputs["pixel_values"], "labels": labels}
""",
        price="edge",
    ),
    Misconception(
        "channels_made_by_hand",
        "You repeat or cut channels by yourself to get three of them, and that fits some modes of "
        "images alone. Pillow knows what the colours of each mode are.",
        {
            IN_COLOUR: "in_colour(picture) for",
            "def transform(batch):": (
                "def in_colour(picture):\n"
                "    pixels = np.asarray(picture)\n"
                "    if pixels.ndim == 2:\n"
                "        pixels = np.stack([pixels] * 3, axis=-1)\n"
                "    return Image.fromarray(pixels[..., :3].astype(np.uint8))\n"
                "\n"
                "\n"
                "def transform(batch):"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="brought_back_to_zero_to_one",
        price="mathematics",
        sentence=(
            "You bring what the processor returns back into the range from 0 to 1. The model was "
            "trained with the numbers that its processor makes: leave them as they come."
        ),
        replaced={
            'inputs["pixel_values"],': '(inputs["pixel_values"] + 1) / 2,',
        },
    ),
    Misconception(
        name="flipped_at_random",
        sentence=(
            "You flip images at random. The model gets the picture as it is; nothing here asks "
            "for augmentation."
        ),
        code="""def transform(batch):
    images = [image.convert("RGB") for image in batch["image"]]
    images = [
        im.transpose(Image.FLIP_LEFT_RIGHT) if torch.rand(()) < 0.5 else im for im in images
    ]
    pixels = processor(images, return_tensors="pt")["pixel_values"]
    return {"pixel_values": pixels, "labels": batch["label"]}
""",
        price="mathematics",
    ),
    Misconception(
        name="images_shrunk_in_place",
        sentence=(
            "`thumbnail` shrinks the image that was handed in. What a batch holds stays as it is:"
            " leave sizes to the processor."
        ),
        code='''def transform(batch):
    """Shrink huge photos first, then hand them to the processor."""
    rgb = []
    for img in batch["image"]:
        if max(img.size) > 256:
            img.thumbnail((256, 256))
        rgb.append(img.convert("RGB"))
    out = processor(rgb, return_tensors="pt")
    return {"pixel_values": out["pixel_values"], "labels": batch["label"]}
''',
    ),
    Misconception(
        name="mirrored_at_random",
        sentence="You mirror images at random. The processor alone prepares them.",
        code="""import random
from PIL import ImageOps


def transform(batch):
    images = []
    for image in batch["image"]:
        image = image.convert("RGB")
        if random.random() < 0.5:
            image = ImageOps.mirror(image)
        images.append(image)
    out = processor(images, return_tensors="pt")
    return {"pixel_values": out["pixel_values"], "labels": batch["label"]}
""",
        price="mathematics",
    ),
    Misconception(
        "width_before_height",
        "Your arrays have the width before the height, so that every picture lies on its side. Of "
        "an image rows come first, and they are counted along its height.",
        code="""
def transform(batch):
    arrays = [np.array(picture.convert("RGB")).swapaxes(0, 1) for picture in batch["image"]]
    made = processor(arrays, return_tensors="pt")
    return {"pixel_values": made["pixel_values"], "labels": batch["label"]}
""",
        price="mathematics",
    ),
]
