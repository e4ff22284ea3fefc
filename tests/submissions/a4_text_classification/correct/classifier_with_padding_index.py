"""Leaves the padding out of the mean by selecting, and makes every mask boolean early.

score: 95
"""


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.embed_dim = embed_dim
        self.token_embedding = nn.Embedding(num_tokens, embed_dim)
        nn.init.normal_(self.token_embedding.weight, mean=0.0, std=embed_dim**-0.5)
        self.pos_encoding = PositionalEncoding(embed_dim, max_len=seq_length)
        blocks = [TransformerBlock(embed_dim, num_heads) for _ in range(depth)]
        self.transformer_blocks = nn.ModuleList(blocks)
        self.to_probs = nn.Linear(embed_dim, num_classes)

    def forward(self, input_ids, attention_mask):
        keep = attention_mask > 0
        x = self.token_embedding(input_ids) * self.embed_dim**0.5
        x = self.pos_encoding(x)
        for block in self.transformer_blocks:
            x = block(x, keep)
        weights = keep.to(x.dtype)
        mean = torch.bmm(weights.unsqueeze(1), x).squeeze(1) / weights.sum(1).unsqueeze(1)
        scores = self.to_probs(mean)
        return scores - torch.logsumexp(scores, dim=1, keepdim=True)


# %% evaluate
def evaluate(model, loader):
    training = model.training
    total, right, number = 0.0, 0, 0
    with torch.no_grad():
        model.train(False)
        for batch in loader:
            ids, mask, labels = (batch[n] for n in ("input_ids", "attention_mask", "labels"))
            out = model(input_ids=ids, attention_mask=mask)
            total += nn.NLLLoss()(out, labels).item() * len(labels)
            right += int((out.max(dim=1).indices == labels).sum())
            number += len(labels)
    if training:
        model.train()
    return total / number, right / number
