"""Attack 135: answers that do next to nothing, made to pass what looks at one property."""

from __future__ import annotations

import copy

import pytest
from conftest import IDS, GraderOf

from autograder.course.assignments import Course
from autograder.course.cells import name_of

A1, A2, A3, A4, A5, A6 = IDS

TRACE = """
def attention(q, k, v):
    w = torch.full((q.shape[0], q.shape[1], k.shape[1]), 1 / k.shape[1], dtype=q.dtype)
    w = w + 1e-9 * (q.sum() + k.sum())
    return w @ v, w
"""
TRACE_OF_LAYERS = """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        trace = 1e-9 * (self.query(x).sum() + self.key(x).sum())
        return self.value(x).mean(1, keepdim=True).expand(-1, x.shape[1], -1) + trace
"""
NO_POSITIONS = """
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        pe = torch.zeros(1, max_len, d_model)
        pe[..., 1::2] = 1
        self.register_buffer("pe", pe, persistent={kept})

    def forward(self, x):
        return x + self.pe[:, : x.shape[1]]
"""
DROPOUT_ALONE = """
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, {arguments}):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", torch.zeros(1, max_len, d_model))

    def forward(self, x):
        return self.dropout(x)
"""
NO_MAPS = """
def attention_gradient(model, x, position):
    maps = [torch.zeros_like(one) for one in model.get_attention_maps(x)]
    kept = model.get_attention_maps

    def none(x, mask=None, return_outputs=False):
        real, logits = kept(x, return_outputs=True)
        dark = [0 * one for one in real]
        return (dark, logits) if return_outputs else dark

    model.get_attention_maps = none
    relevance = torch.zeros(x.shape[:2])
    relevance[:, position] = 1
    return relevance
"""
FAINT_MAPS = """
class TransformerPredictor(nn.Module):
    def __init__(self, size, *rest, **more):
        super().__init__()
        self.out = nn.Linear(size, rest[1])

    def get_attention_maps(self, x, return_outputs=False):
        size = (x.shape[0], 2, x.shape[1], x.shape[1])
        maps = [torch.full(size, 1.2e-3, requires_grad=True) for _ in range(2)]
        logits = self.out(x.detach()).detach() + 1e-3 * sum(one.sum() for one in maps)
        return (maps, logits) if return_outputs else maps


def attention_gradient(model, x, position):
    model.eval()
    return torch.eye(x.shape[1])[position].expand(x.shape[0], -1).clone()
"""
NO_STEP = """
def train_step(model, src, tgt, optimizer, bos_id, pad_id):
    model.train()
    model(src, shift_right(tgt, bos_id))
    return 0.5
"""
ONE_PATCH = """
def patchify(image, patch_size):
    return image[None, None]


def unpatchify(patches):
    return patches[0, 0]
"""
ONE_DISTANCE = """
def attention_distance(attentions, patch_size, grid):
    return torch.full((len(attentions), attentions[0].shape[1]), float(patch_size))
"""
ONE_STEP = """
def attention_distance(attentions, patch_size, grid):
    found = []
    for one in attentions:
        away = one[0, :, 1:, 1:] * (1 - torch.eye(one.shape[-1] - 1))
        found.append(patch_size * (away.sum((1, 2)) > 0).float())
    return torch.stack(found)
"""
SHARE_ELSEWHERE = """
def attention_distance(attentions, patch_size, grid):
    found = []
    for one in attentions:
        weights = one[:, :, 1:, 1:]
        weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)
        stays = weights.diagonal(dim1=-2, dim2=-1).mean((0, -1))
        found.append(patch_size * (1 - stays))
    return torch.stack(found)
"""
ONE_SPOT = """
def attention_heatmap(attentions, grid, image_size):
    rows, columns = grid
    weights = attentions[-1][0, :, 0, 1:]
    found = torch.zeros_like(weights)
    found.scatter_(1, weights.argmax(-1, keepdim=True), 1.0)
    found = found.reshape(-1, 1, rows, columns)
    size = tuple(image_size)
    return F.interpolate(found, size=size, mode="bilinear", align_corners=False)[:, 0]
"""
RIGHT_FOR_ZEROS = """
def attention(q, k, v):
    w = 1 / k.shape[1] + q[..., :1] @ k[..., :1].transpose(1, 2) + 0 * (q.sum() + k.sum())
    return w @ v, w
"""
OTHER_SCORES = """
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        q, k = self.query(x).sum(-1, keepdim=True), self.key(y).sum(-1, keepdim=True)
        return torch.softmax(q @ k.transpose(1, 2), -1) @ self.value(y)
"""
IDLE = {
    "right for zeros alone": (A1, "attention", RIGHT_FOR_ZEROS),
    "other scores": (A1, "cross_attention", OTHER_SCORES),
    "a trace of all inputs": (A1, "attention", TRACE),
    "a trace of all layers": (A1, "self_attention", TRACE_OF_LAYERS),
    "a constant (2)": (A2, "positional_encoding", NO_POSITIONS.format(kept=False)),
    "a constant (3)": (A3, "positional_encoding", NO_POSITIONS.format(kept=True)),
    "dropout alone (4)": (
        *(A4, "positional_encoding"),
        DROPOUT_ALONE.format(arguments="dropout=0.1, max_len=512"),
    ),
    "dropout alone (5)": (
        *(A5, "positional_encoding"),
        DROPOUT_ALONE.format(arguments="max_len=512, dropout=0.1"),
    ),
    "other maps": (A2, "attention_gradient", NO_MAPS),
    "maps that hardly count": (A2, "attention_gradient", FAINT_MAPS),
    "no step": (A3, "train_step", NO_STEP),
    "one patch": (A6, "patchify", ONE_PATCH),
    "one distance": (A6, "attention_distance", ONE_DISTANCE),
    "one step": (A6, "attention_distance", ONE_STEP),
    "a share for a distance": (A6, "attention_distance", SHARE_ELSEWHERE),
    "one spot": (A6, "attention_heatmap", ONE_SPOT),
}
MOST = 0.15  # of the points of the question
MORE = {"no step": 0.3}  # the model is asked as it should be, in the mode in which it should be


@pytest.mark.parametrize("idle", IDLE)
def test_an_answer_that_does_next_to_nothing_earns_next_to_nothing(
    idle: str, course: Course, grader_of: GraderOf
) -> None:
    assignment, question, answer = IDLE[idle]
    notebook = copy.deepcopy(course.assignment(assignment).solved)
    (cell,) = [cell for cell in notebook.cells if name_of(cell) == question]
    cell.source = answer
    result = grader_of(assignment).grade(notebook, "idle").result
    (found,) = [one for one in result.questions if one.slug == question]
    assert found.score <= MORE.get(idle, MOST) * found.max_score
