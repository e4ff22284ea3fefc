"""Sentences of this assignment that a student can read."""

from __future__ import annotations

from autograder.checking import Seen, wording

NO_DICTIONARY = Seen(
    "The result is not a dictionary.",
    "no_dictionary",
    "Behind `return` stands a dictionary, with its names in quotes.",
)
OTHER_ENTRIES = Seen(
    "The result does not hold just the two entries that the question names.",
    "other_entries",
    "Compare the names of what you return with those in the question: these two and no others.",
)
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
CLOSE_LOGITS = Seen(
    "Where logits lie close together the accuracy is another one than where they lie far apart.",
    "close_logits",
    "The largest logit wins, however near the second comes. Look for what makes close numbers "
    "equal, as rounding and whole numbers do, or asks how sure an answer is.",
)
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

NO_VIT = Seen(
    "`load_model` does not return a ViTForImageClassification.",
    "no_vit",
    "Which class loads a vision transformer with a head that classifies images?",
)
OTHER_BODY = Seen(
    "The weights before the head are not those of the model in `model_name`.",
    "other_body",
    "The weights are those of the model that is named, all of them: they come with "
    "`from_pretrained`, and what is made of a configuration alone, or anew, is drawn by lot.",
)
OLD_HEAD = Seen(
    "The head, or its bias, holds numbers of the head in the file.",
    "old_head",
    "The head in the file knows other classes. The new one is drawn by the library, and nothing "
    "is written into it.",
)
HEAD_ALIKE = Seen(
    "The head's weights are all alike.",
    "head_alike",
    "What begins alike learns alike. The library draws the head's numbers by lot: leave them.",
)
LARGE_HEAD = Seen(
    "The head's weights, or its bias, are no small numbers.",
    "large_head",
    "A head with large weights is sure before it has learned. The library draws small ones: see "
    "what is drawn, or added, after that.",
)
NO_BIAS = Seen(
    "The new head has no bias, which a linear layer has.",
    "head_without_bias",
    "A new head is what the library makes for another number of labels. Let it be made there.",
)
SAME_HEAD = Seen(
    "Two models that are loaded one after the other have the same head.",
    "same_head",
    "A new head is drawn by lot. Is a seed set somewhere, or are its numbers written by hand?",
)
OTHER_NAMES = Seen(
    "`id2label` in the configuration does not give the names in `labels`, counted from 0.",
    "other_names",
    "`id2label` is a dictionary from numbers to names, counted from 0 in the order of the list.",
)
OTHER_NUMBERS = Seen(
    "`label2id` in the configuration does not give the number of each name in `labels`.",
    "other_numbers",
    "`label2id` is a dictionary from names to numbers, with the numbers of `id2label`.",
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

NO_ARGUMENTS = Seen(
    "`make_training_args` does not return a TrainingArguments.",
    "no_arguments",
    "Make the arguments of the class that the question names, and return them.",
)
OTHER_FOLDER = Seen(
    "The arguments do not write to the folder `output_dir`.",
    "other_folder",
    "Where the trainer writes is an argument of your function.",
)
STEP_SIZE = Seen(
    "One step of the optimizer does not see `TRAIN_BATCH` images.",
    "step_size",
    "A step sees the images of one batch, times the batches whose gradients are added up before"
    " it.",
)
EVALUATION_SIZE = Seen(
    "An evaluation does not take `EVAL_BATCH` images at a time.",
    "evaluation_size",
    "Batches of training and of evaluation have settings of their own.",
)
OTHER_EPOCHS = Seen(
    "The training does not go through the images `EPOCHS` times.",
    "other_epochs",
    "How often the training goes through the images is a setting, as is a largest number of "
    "steps, which wins.",
)
OTHER_RATE = Seen(
    "The learning rate is not `LEARNING_RATE`.",
    "other_rate",
    "The learning rate is a setting, too, and has a default.",
)
EVALUATION_TIME = Seen(
    "It is not evaluated after each epoch, and only then.",
    "evaluation_time",
    "When to evaluate is a setting: never, after so many steps, or after each epoch.",
)
LOSS_ALONE = Seen(
    "An evaluation tells the loss alone: nothing is left for `compute_metrics` to measure.",
    "loss_alone",
    "A setting says that predictions are thrown away as soon as the loss is known. Leave that off.",
)
SAVES = Seen(
    "Checkpoints are saved; none should be.",
    "saves",
    "When to save is a setting, and its default saves.",
)
LOG_TIME = Seen(
    "The loss is not logged every `LOG_STEPS` steps.",
    "log_time",
    "After how many steps the loss is logged is a setting; whether it counts steps or epochs is"
    " another.",
)
COLUMNS = Seen(
    "Columns that the model does not ask for are removed before `transform` can read them.",
    "columns_removed",
    "By default the trainer removes what the model does not ask for. A setting keeps it.",
)
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

OTHER_RATE_IN_TRAINING = (
    "The rate that the optimizer began with is not the one in the arguments that were handed in."
)

NOT_CUT = (
    "The patches do not lie in five axes of the right sizes: rows, columns, and those of a small "
    "picture."
)
NOT_UNDONE = "`unpatchify` does not undo `patchify`."

NO_CONVOLUTION = Seen(
    "`make_projection` does not return an nn.Conv2d.",
    "no_convolution",
    "The module itself is returned, a convolution of PyTorch.",
)
PADDED = Seen(
    "Pictures that end with a part of a patch get vectors for it, or other ones.",
    "padded",
    "The layer adds no pixels at the edges, whatever sizes the configuration has. A window that "
    "does not fit there gives no vector.",
)
CONFIG_CHANGED = Seen(
    "The configuration holds something else after a call.",
    "config_changed",
    "Read of it what you need. What you compute is a variable of your own.",
)
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
ALL_ALIKE = "Heads that look to different places look equally far."
NO_ATTENTION = "Attention that goes elsewhere is told to be equally far: the weights do not count."
NOT_ZERO = "A head whose patches look only at themselves does not look 0 pixels far."

OTHER_PLACE = "The brightest spot of the map is not at the patch that gets most of the attention."
SECOND_IS_DARK = "A patch that gets half as much attention as the brightest one is dark in the map."
OTHER_LAYERS = "The map changes with layers, or with tokens, that it should not show."

NOT_COVERED = Seen(
    "A patch whose weight is among the `count` largest is not 0 in all its pixels.",
    "not_covered",
    "In each image the chosen patches are those at the places of its own largest weights; the "
    "weights themselves may be 0 or below.",
)
OTHERS_CHANGED = Seen(
    "Pixels outside the `count` patches of the largest weights have changed.",
    "others_changed",
    "Two steps to look at: which patches are chosen, and how an entry of their table becomes a "
    "block of pixels.",
)

NO_PREDICTION = Seen(
    "`PREDICTION` is not one of the three choices, letter by letter.",
    "no_prediction",
    wording.PICK_A_CHOICE,
)

HEAD_FROZEN = Seen(
    "Some parameters of the head, `model.classifier`, would not be trained.",
    "head_frozen",
    "When all is frozen, what has to be switched on again?",
)
BODY_FREE = Seen(
    "Some parameters before the head would still be trained.",
    "body_free",
    "Go through all parameters of the model, and look which of them still require gradients.",
)
OTHER_STEP = "A step of an optimizer does not move the head alone."
FROZEN_BEFORE = Seen(
    "A model that was frozen before does not come out with its head alone to be trained.",
    "frozen_before",
    "Do not rely on what was on or off before: say it for every parameter.",
)
SECOND_CALL = "When `head_only` meets a model again, more than its head is left to train."
OTHER_MODEL = Seen(
    "`head_only` does not return the model that it was given.",
    "other_model",
    "Hand back the model that came in, and no copy or part of it.",
)
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
ALL_FROZEN = Seen(
    "`head_only` changed another model, or switched torch's gradients off.",
    "all_frozen",
    "Set `requires_grad` of the parameters of this model, and switch nothing off for all.",
)
SETTINGS_CHANGED = Seen(
    "`head_only` changed a layer or a setting of the model, like its dropout.",
    "settings_changed",
    "`requires_grad` of parameters is all that changes: neither mode nor dropout.",
)
CUT_OFF = Seen(
    "When all parameters are switched on again after `head_only`, no gradient reaches the body.",
    "cut_off",
    "Only `requires_grad` is set here: how the model computes stays as it was.",
)
NUMBERS_DRAWN = Seen(
    "`head_only` draws random numbers or sets a seed, though nothing in it is random.",
    "numbers_drawn",
    "Look for a layer that is made anew, for `manual_seed`, and for calls of the model.",
)
