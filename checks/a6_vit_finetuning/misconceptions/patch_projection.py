"""Known wrong answers to `make_projection`."""

from __future__ import annotations

from autograder.checking import Misconception

IN = "        config.num_channels,\n"
OUT = "        config.hidden_size,\n"
WINDOW = "        kernel_size=config.patch_size,\n"
STEP = "        stride=config.patch_size,\n"

MISCONCEPTIONS = [
    Misconception(
        "stride_left_at_one",
        "Your window moves on by one pixel, so there is a vector for nearly every pixel. Patches "
        "lie side by side: how far apart do they begin?",
        {STEP: ""},
        price="mathematics",
    ),
    Misconception(
        "half_a_step",
        "Your window moves on by half a patch, so the patches overlap.",
        {STEP: "        stride=config.patch_size // 2,\n"},
        price="mathematics",
    ),
    Misconception(
        "padded",
        "You put a frame of zeros around the image, so the first windows reach over its edge. The "
        "specification asks for none.",
        {STEP: f"{STEP}        padding=config.patch_size // 2,\n"},
        price="mathematics",
    ),
    Misconception(
        "without_bias",
        "Your layer has no bias, but the model's has one, and so has the formula.",
        {STEP: f"{STEP}        bias=False,\n"},
        price="edge",
    ),
    Misconception(
        "window_of_one_pixel",
        "Your window sees one pixel of each patch and skips the others.",
        {WINDOW: "        kernel_size=1,\n"},
        price="mathematics",
    ),
    Misconception(
        "channels_swapped",
        "You exchanged what goes into the layer and what comes out of it.",
        {IN + OUT: OUT + IN},
        price="mathematics",
    ),
    Misconception(
        "always_three_colours",
        "You write the number of colours into your code. A model for grey images has another; the "
        "configuration knows.",
        {IN: "        3,\n"},
        price="edge",
    ),
    Misconception(
        "patches_of_the_large_model",
        "You write the size of a patch into your code. The configuration knows the one that this "
        "model has.",
        {WINDOW: "        kernel_size=16,\n", STEP: "        stride=16,\n"},
        price="mathematics",
    ),
    Misconception(
        "vectors_of_the_mlp",
        "Your vectors have the size of the layer inside the model's MLP. Look which number of the "
        "configuration belongs to the vectors of a token.",
        {OUT: "        config.intermediate_size,\n"},
        price="mathematics",
    ),
    Misconception(
        "linear_layer",
        "You return a linear layer, which would need the patches cut out and flattened first. The "
        "question asks for the convolution that does without.",
        code="""
def make_projection(config):
    return nn.Linear(config.num_channels * config.patch_size**2, config.hidden_size)
""",
        price="mathematics",
    ),
    Misconception(
        "holes_in_the_window",
        "Your window leaves out every other pixel. Its pixels should lie side by side.",
        {STEP: f"{STEP}        dilation=2,\n"},
        price="mathematics",
    ),
    Misconception(
        "colours_apart",
        "Your layer looks at each colour apart and adds nothing up. One map should see all "
        "numbers of a patch.",
        code="""
def make_projection(config):
    return nn.Conv2d(
        config.num_channels,
        config.num_channels * config.hidden_size,
        kernel_size=config.patch_size,
        stride=config.patch_size,
        groups=config.num_channels,
    )
""",
        price="mathematics",
    ),
    Misconception(
        "rest_padded",
        "Your layer fills pictures up until they are whole patches. Nothing is padded: the rest at "
        "the edge gets no vector.",
        code="""
def make_projection(config):
    size = config.patch_size

    class Padded(nn.Conv2d):
        def forward(self, images):
            down, right = -images.shape[-2] % size, -images.shape[-1] % size
            return super().forward(F.pad(images, (0, right, 0, down)))

    return Padded(config.num_channels, config.hidden_size, size, size)
""",
        price="edge",
    ),
    Misconception(
        "copied_from_the_model",
        "You copy the layer of the trained model where its sizes fit. A new layer starts with "
        "numbers of its own, others each time.",
        code="""
def make_projection(config):
    import copy

    size = config.patch_size
    tuned = model.vit.embeddings.patch_embeddings.projection
    if tuned.weight.shape == (config.hidden_size, config.num_channels, size, size):
        return copy.deepcopy(tuned)
    return nn.Conv2d(config.num_channels, config.hidden_size, size, size)
""",
        price="edge",
    ),
    Misconception(
        "flattened_behind",
        "You flatten the grid behind the convolution. The layer alone is asked for: the sequence "
        "is made where it is used.",
        code="""
def make_projection(config):
    layer = nn.Conv2d(
        config.num_channels,
        config.hidden_size,
        kernel_size=config.patch_size,
        stride=config.patch_size,
    )
    return nn.Sequential(layer, nn.Flatten(2))
""",
        price="mathematics",
    ),
    Misconception(
        "patches_of_the_tiny_model",
        "You write the numbers of the example into your code, and another model has patches of "
        "another size. Read it off the configuration.",
        {WINDOW: "        kernel_size=6,\n", STEP: "        stride=6,\n"},
        price="edge",
    ),
    Misconception(
        "padded_by_one",
        "You pad the image, by one pixel at the usual sizes. Windows lie side by side and begin at "
        "the edge, so none of them needs to reach over it.",
        {
            "        stride=config.patch_size,\n": (
                "        stride=config.patch_size,\n        padding=1,\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "fits_the_tiny_model_alone",
        "Your layer fits the small model of the notebook, but not every other. Try it with a "
        "configuration in which all sizes are others.",
        code="""
def make_projection(config):
    return nn.Conv2d(3, 64, kernel_size=6, stride=6)
""",
        price="mathematics",
    ),
    Misconception(
        "number_for_size",
        "Your window is as wide as there are patches on a side. It should be as wide as one patch.",
        {
            WINDOW: "        kernel_size=config.image_size // config.patch_size,\n",
            STEP: "        stride=config.image_size // config.patch_size,\n",
        },
        price="mathematics",
    ),
    Misconception(
        "activation_behind",
        "You send the vectors through an activation. The formula is linear: nothing comes behind "
        "the convolution.",
        code="""
class Activated(nn.Conv2d):
    def forward(self, images):
        return F.gelu(super().forward(images))


def make_projection(config):
    size = config.patch_size
    return Activated(config.num_channels, config.hidden_size, kernel_size=size, stride=size)
""",
        price="mathematics",
    ),
    Misconception(
        name="sizes_of_one_model",
        sentence="You write in the sizes of one model. Read them from what is handed in.",
        code="""def make_projection(config):
    return nn.Conv2d(config.num_channels, 64, kernel_size=6, stride=6)
""",
        price="edge",
    ),
    Misconception(
        name="pads_to_whole_patches",
        sentence=(
            "You pad an image that is no whole number of patches. What is left at its edge "
            "belongs to no patch."
        ),
        code="""def make_projection(config):
    return nn.Conv2d(
        config.num_channels,
        config.hidden_size,
        kernel_size=config.patch_size,
        stride=config.patch_size,
        padding=-config.image_size % config.patch_size,
    )
""",
        price="edge",
    ),
    Misconception(
        name="other_stride",
        sentence=(
            "The window moves by another step than the size of a patch. Patches lie side by side."
        ),
        code="""def make_projection(config):
    return nn.Conv2d(
        config.num_channels,
        config.hidden_size,
        kernel_size=config.patch_size,
        stride=config.encoder_stride,
    )
""",
        price="mathematics",
    ),
    Misconception(
        name="grid_of_eight",
        sentence=(
            "You take a grid of 8 for granted. How large a patch is the configuration says: "
            "`patch_size`."
        ),
        code="""def make_projection(config):
    window = config.image_size // 8
    return nn.Conv2d(config.num_channels, config.hidden_size, kernel_size=window, stride=window)
""",
        price="mathematics",
    ),
    Misconception(
        "size_written_into_the_configuration",
        "You write into the configuration, which others read after you. What you compute is a "
        "variable of your own.",
        code="""
def make_projection(config):
    config.patch_size = (config.patch_size, config.patch_size)
    return nn.Conv2d(
        config.num_channels, config.hidden_size, config.patch_size, stride=config.patch_size
    )
""",
        price="surroundings",
    ),
]
