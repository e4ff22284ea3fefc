"""Sentences of this assignment that a student can read."""

from __future__ import annotations

from autograder.checking import Seen

NO_DICTIONARY = "The result is not a dictionary."
OTHER_ENTRIES = "The result does not hold just the two entries that the question names."
BATCH_CHANGED = Seen(
    "`transform` changed the batch that it was given, or an image in it.",
    "batch_changed",
    "Make a new list for the images that you convert; write nothing into the batch.",
)
OTHER_LABELS = "The labels are not those of the batch, in their order."
OTHER_PROCESSOR = Seen(
    "With another `processor` in the notebook the pixel values are not what it makes.",
    "other_processor",
    "Size, mean and spread come with the `processor`. Call that, and write none of them yourself.",
)
OTHER_COLOURS = Seen(
    "Images that are not in RGB do not come out as their RGB versions do.",
    "other_colours",
    "An image has a method that converts it to RGB. Ask it of every image that needs it, not "
    "of the first alone.",
)
OTHER_AGAIN = "The same images do not give the same pixel values again, or numbers are drawn."

EXAMPLES_CHANGED = Seen(
    "The list, its dictionaries, their images or torch's random numbers changed.",
    "examples_changed",
    "Only look things up in the examples: no `pop`, nothing that is set, nothing that is drawn.",
)

NO_ACCURACY = 'The result has no entry "accuracy" with one number from 0 to 1.'
WRONG_ACCURACY = "The accuracy is not the share of rows whose largest logit is that of the label."
OTHER_EXAMPLES = (
    "Not every example of the list is in the batch with its image and its label, or a label has "
    "become another number."
)

ARRAYS_CHANGED = Seen(
    "The arrays of logits and labels are not what they were before the call.",
    "arrays_changed",
    "Something is written into an array that came in; work on a new one.",
)

NO_VIT = "`load_model` does not return a ViTForImageClassification."
OTHER_BODY = Seen(
    "The weights before the head are not those of the model in `model_name`.",
    "other_body",
    "A model that is made of its configuration alone is drawn by lot. The weights come with "
    "`from_pretrained`.",
)
OLD_HEAD = (
    "The head's weights are not small random numbers: they are those of the file, all alike, or "
    "too large."
)
NO_BIAS = "The new head has no bias, which a linear layer has."
SAME_HEAD = "Two models that are loaded one after the other have the same head."
OTHER_NAMES = Seen(
    "`id2label` in the configuration does not give the names in `labels`, counted from 0.",
    "other_names",
    "`id2label` is a dictionary from numbers to names.",
)
OTHER_NUMBERS = Seen(
    "`label2id` in the configuration does not give the number of each name in `labels`.",
    "other_numbers",
    "`label2id` is a dictionary from names to numbers, the other way round.",
)
FROZEN = Seen(
    "Some parameters are frozen; fine-tuning should train all of them.",
    "frozen",
)
NOT_IN_USE = "The model does not answer images with one finite logit for each label."
DROPS = "In training the model answers otherwise than in evaluation; the one in the file does not."
LABELS_CHANGED = Seen(
    "`load_model` changed the list of labels that it was given.",
    "labels_changed",
    "Only read the list of labels: no `sort`, no `append`.",
)

NO_ARGUMENTS = "`make_training_args` does not return a TrainingArguments."
OTHER_FOLDER = "The arguments do not write to the folder `output_dir`."
STEP_SIZE = "One step of the optimizer does not see `TRAIN_BATCH` images."
EVALUATION_SIZE = "An evaluation does not take `EVAL_BATCH` images at a time."
OTHER_EPOCHS = "The training does not go through the images `EPOCHS` times."
OTHER_RATE = "The learning rate is not `LEARNING_RATE`."
EVALUATION_TIME = "It is not evaluated after each epoch, and only then."
LOSS_ALONE = "An evaluation tells the loss alone: nothing is left for `compute_metrics` to measure."
SAVES = "Checkpoints are saved; none should be."
LOG_TIME = "The loss is not logged every `LOG_STEPS` steps."
COLUMNS = "Columns that the model does not ask for are removed before `transform` can read them."
MACHINE_IGNORED = Seen(
    "Not everything that is in `MACHINE` reaches the arguments.",
    "machine_ignored",
    "A dictionary can be handed over whole, as named arguments. Take `MACHINE` itself, not "
    "some of its entries.",
)
MACHINE_CHANGED = Seen(
    "The dictionary `MACHINE` is not after a call what it was before.",
    "machine_changed",
    "Read its entries, and take none out: other cells, and the next call, need them too.",
)
SETTINGS_IGNORED = Seen(
    "With other numbers in the settings cell the arguments stay as they were.",
    "settings_ignored",
    "Take the names of the settings cell, not the numbers that they have there.",
)

PUT_TOGETHER = {
    "is_trainer": "`make_trainer` does not return a Trainer.",
    "untrained": "`make_trainer` starts the training itself; it should only return the trainer.",
    "model": "The trainer does not hold the model that it was given.",
    "arguments": "The trainer does not hold the arguments that it was given.",
    "train_data": "It does not train on the first data set.",
    "test_data": "It does not evaluate on the second data set.",
    "collates": "The batches are not made by your `collate_fn`.",
    "measures": "An evaluation does not measure with your `compute_metrics`.",
    "processor": "The trainer was not handed the `processor`.",
}
NOT_TRAINED = "The trainer could not train a small model: {}"
OTHER_METRICS = "The accuracies of the evaluations are not those of the model on the test images."
LEFT_OUT = (
    "In one epoch the model that was handed in does not see every image of the first data set once."
)
STEP_COUNT = "One epoch over a small data set took another number of steps than it should."
STANDS_STILL = "Some parameters of the model that was handed in did not move in the training."
RATE_IN_TRAINING = (
    "The rate that the optimizer used is larger than the one asked for, or 0 throughout."
)

NOT_CUT = "The patches do not lie in five axes: rows, columns, and those of a small picture."
NOT_UNDONE = "`unpatchify` does not undo `patchify`."

NO_CONVOLUTION = "`make_projection` does not return an nn.Conv2d."
PADDED = "Pictures that end with a part of a patch get vectors for it, or other ones."
SAME_WEIGHTS = Seen(
    "Two layers that are made one after the other start with the same weights.",
    "same_start",
)

OLD_WEIGHTS = "With other weights the model answers as if it still had some of those before."

LITTLE_MATTERS = "Where patches give little weight to patches the distance is another one."
CLASS_TOKEN_MATTERS = Seen(
    "The distance changes with the weights to and from the class token.",
    "class_token_matters",
    "Leave out the row and the column of the class token first, and let the rows sum to 1 "
    "after that.",
)
NOT_IN_PIXELS = Seen(
    "Patches of twice the size are not twice as far apart.",
    "not_in_pixels",
    "The centres of two neighbours lie one side of a patch apart: that is `patch_size` pixels.",
)
NOT_ZERO = "A head whose patches look only at themselves does not look 0 pixels far."

OTHER_PLACE = "The brightest spot of the map is not at the patch that gets most of the attention."
OTHER_LAYERS = "The map changes with layers, or with tokens, that it should not show."

NOT_COVERED = Seen(
    "A patch whose weight is among the `count` largest is not 0 in all its pixels.",
    "not_covered",
    "The chosen patches are those at the places of the largest weights; the weights themselves "
    "may be 0 or below.",
)
OTHERS_CHANGED = Seen(
    "Pixels outside the `count` patches of the largest weights have changed.",
    "others_changed",
    "Two steps to look at: which patches are chosen, and how an entry of their table becomes a "
    "block of pixels.",
)

NO_PREDICTION = "`PREDICTION` is not one of the three choices, letter by letter."

HEAD_FROZEN = "Some parameters of the head, `model.classifier`, would not be trained."
BODY_FREE = "Some parameters before the head would still be trained."
OTHER_STEP = "A step of an optimizer does not move the head alone."
FROZEN_BEFORE = (
    "A model that was frozen before does not come out with its head alone to be trained."
)
SECOND_CALL = "When `head_only` meets a model again, more than its head is left to train."
OTHER_MODEL = "`head_only` does not return the model that it was given."
GRADIENTS_CHANGED = Seen(
    "The gradients that lay at the parameters before are other ones after `head_only`.",
    "gradients_changed",
    "Whoever trains clears gradients. What is asked for here is which parameters will get some.",
)
MODEL_CHANGED = Seen(
    "`head_only` changed the model's numbers, or whether it is in training mode.",
    "model_changed",
    "Only `requires_grad` is set here. No layer is replaced, and no mode is set.",
)
ALL_FROZEN = "`head_only` changed another model, or switched torch's gradients off."
SETTINGS_CHANGED = "`head_only` changed a layer or a setting of the model, like its dropout."
NUMBERS_DRAWN = "`head_only` draws random numbers or sets a seed, though nothing in it is random."
