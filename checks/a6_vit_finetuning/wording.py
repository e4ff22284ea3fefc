"""Sentences of this assignment that a student can read."""

from __future__ import annotations

NO_DICTIONARY = "The result is not a dictionary."
BATCH_CHANGED = "`transform` changed the batch that it was given; it must stay as it is."
OTHER_LABELS = "The labels are not those of the batch, in their order."
OTHER_PROCESSOR = "The images are not made by the notebook's `processor`."
OTHER_COLOURS = "Images that are not in RGB do not come out as their RGB versions do."

OTHER_IMAGES = "The pixel values are not those of the examples, in their order."
NO_ACCURACY = 'The result has no entry "accuracy" with one number.'
WRONG_ACCURACY = "The accuracy is not the share of rows whose largest logit is that of the label."

NO_VIT = "`load_model` does not return a ViTForImageClassification."
OLD_HEAD = "The head is not a freshly drawn one: its weights are those of the file, or all alike."
OTHER_NAMES = "The configuration does not give the classes the names in `labels`, there and back."
FROZEN = "Some parameters are frozen; fine-tuning should train all of them."
NOT_IN_USE = "The model does not return one logit for each class."

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
MACHINE_IGNORED = (
    "What `MACHINE` says about precision, device or seed does not reach the arguments."
)
SETTINGS_IGNORED = "With other numbers in the settings cell the arguments stay as they were."

NO_TRAINER = "`make_trainer` does not return a Trainer."
NOT_TRAINED = "The trainer could not train a small model: {}"
OTHER_MODEL = "The trainer does not train the model that it was given."
OTHER_ARGUMENTS = "The trainer does not hold the arguments that it was given."
OTHER_DATA = "It does not train on the first data set and evaluate on the second."
OTHER_COLLATE = "The batches are not made by your `collate_fn`."
OTHER_METRICS = "An evaluation does not measure with your `compute_metrics`."
LEFT_OUT = "One epoch of training does not see every image of the first data set once."
NO_PROCESSOR = "The trainer was not handed the `processor`."
STEP_COUNT = "One epoch over a small data set took another number of steps than it should."
STANDS_STILL = "Some parameters did not move in the training."
RATE_IN_TRAINING = "The rate that the optimizer used is not one that falls from `LEARNING_RATE`."

SAME_FOR_ALL_ROWS = "A number added to all logits of a row changes the answer."
NOT_UNDONE = "`unpatchify` does not undo `patchify`."
OTHER_PIXELS = "The patches do not hold the pixels of their places in the image."

NO_CONVOLUTION = "`make_projection` does not return an nn.Conv2d."
NO_BIAS = "The convolution has no bias, or one of another size."
NOT_THE_MODELS = "With the model's own weights it does not compute what the model computes."

LENGTH_MATTERS = "The similarity changes when a vector is made longer or shorter."
NOT_SYMMETRIC = "The table is not symmetric with ones on its diagonal."

CLASS_TOKEN_MATTERS = "The distance changes with the weights to and from the class token."
NOT_IN_PIXELS = "Patches of twice the size are not twice as far apart."
SIDEWAYS = "Rows and columns of the grid are mixed up: a look down is not a look to the side."
NOT_ZERO = "A head whose patches look only at themselves does not look 0 pixels far."

OTHER_PLACE = "The brightest spot of the map is not at the patch that gets most of the attention."
OTHER_LAYERS = "The map changes with layers, or with tokens, that it should not show."
