"""Makes tables as bare parameters, and looks into BERT's weights instead of calling its parts.

score: 95
"""


# %% embedding
class Table(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(rows, columns))

    def forward(self, ids):
        return self.rows[ids]


def make_embedding(vocab_size, d_model):
    return Table(vocab_size, d_model)


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    e = model.embeddings
    n, length = input_ids.shape
    x = e.word_embeddings(input_ids)
    x = x + e.position_embeddings.weight[:length].unsqueeze(0)
    x = x + e.token_type_embeddings.weight[0]
    return e.dropout(e.LayerNorm(x))
