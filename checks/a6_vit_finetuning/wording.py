"""Sentences of this assignment that a student can read."""

from __future__ import annotations

NO_DICTIONARY = "The result is not a dictionary."
OTHER_ENTRIES = "The result does not hold just the two entries that the question names."
BATCH_CHANGED = "`transform` changed the batch that it was given, or an image in it."
OTHER_LABELS = "The labels are not those of the batch, in their order."
OTHER_PROCESSOR = "With another `processor` in the notebook the pixel values are not what it makes."
OTHER_COLOURS = "Images that are not in RGB do not come out as their RGB versions do."
OTHER_AGAIN = "The same images do not give the same pixel values again, or numbers are drawn."

EXAMPLES_CHANGED = "The list, its dictionaries, their images or torch's random numbers changed."

NO_ACCURACY = 'The result has no entry "accuracy" with one number from 0 to 1.'
WRONG_ACCURACY = "The accuracy is not the share of rows whose largest logit is that of the label."
ARRAYS_CHANGED = "The arrays of logits and labels are not what they were before the call."

NO_VIT = "`load_model` does not return a ViTForImageClassification."
OTHER_BODY = "The weights before the head are not those of the model in `model_name`."
OLD_HEAD = "The head is not a freshly drawn one: its weights are those of the file, or all alike."
SAME_HEAD = "Two models that are loaded one after the other have the same head."
OTHER_NAMES = "`id2label` in the configuration does not give the names in `labels`, counted from 0."
OTHER_NUMBERS = "`label2id` in the configuration does not give the number of each name in `labels`."
FROZEN = "Some parameters are frozen; fine-tuning should train all of them."
NOT_IN_USE = "The model does not answer images with one finite logit for each label."
LABELS_CHANGED = "`load_model` changed the list of labels that it was given."

NO_ARGUMENTS = "`make_training_args` does not return a TrainingArguments."
OTHER_FOLDER = "The arguments do not write to the folder `output_dir`."
STEP_SIZE = "One step of the optimizer does not see `TRAIN_BATCH` images."
EVALUATION_SIZE = "An evaluation does not take `EVAL_BATCH` images at a time."
OTHER_EPOCHS = "The training does not go through the images `EPOCHS` times."
OTHER_RATE = "The learning rate is not `LEARNING_RATE`."
EVALUATION_TIME = "It is not evaluated after each epoch, and only then."
SAVES = "Checkpoints are saved; none should be."
LOG_TIME = "The loss is not logged every `LOG_STEPS` steps."
COLUMNS = "Columns that the model does not ask for are removed before `transform` can read them."
MACHINE_IGNORED = "Not everything that is in `MACHINE` reaches the arguments."
SETTINGS_IGNORED = "With other numbers in the settings cell the arguments stay as they were."

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
RATE_IN_TRAINING = "The rate that the optimizer used does not fall from the one that was asked for."

NOT_UNDONE = "`unpatchify` does not undo `patchify`."

NO_CONVOLUTION = "`make_projection` does not return an nn.Conv2d."
SAME_WEIGHTS = "Two layers that are made one after the other start with the same weights."

CLASS_TOKEN_MATTERS = "The distance changes with the weights to and from the class token."
NOT_IN_PIXELS = "Patches of twice the size are not twice as far apart."
NOT_ZERO = "A head whose patches look only at themselves does not look 0 pixels far."

OTHER_PLACE = "The brightest spot of the map is not at the patch that gets most of the attention."
OTHER_LAYERS = "The map changes with layers, or with tokens, that it should not show."

NOT_COVERED = "A patch whose weight is among the `count` largest is not 0 in all its pixels."
OTHERS_CHANGED = "Pixels outside the `count` patches of the largest weights have changed."

NO_PREDICTION = "`PREDICTION` is not one of the three choices, letter by letter."

HEAD_FROZEN = "Some parameters of the head, `model.classifier`, would not be trained."
BODY_FREE = "Some parameters before the head would still be trained."
OTHER_STEP = "A step of an optimizer does not move the head alone."
FROZEN_BEFORE = (
    "A model that was frozen before does not come out with its head alone to be trained."
)
OTHER_MODEL = "`head_only` does not return the model that it was given."
MODEL_CHANGED = "`head_only` changed the model's numbers, or whether it is in training mode."
ALL_FROZEN = "`head_only` changed another model, or switched torch's gradients off."
