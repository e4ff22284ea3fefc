"""Never comes back from evaluate, on which only the training rests.

score: 90
evaluate: timeout 0
"""


# %% evaluate
def evaluate(model, loader):
    while True:
        pass
