"""Takes the mean with nanmean, and the class by sorting.

score: 95
"""


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.root = math.sqrt(embed_dim)
        self.e = nn.Embedding.from_pretrained(
            torch.randn(num_tokens, embed_dim) / self.root, freeze=False
        )
        self.p = PositionalEncoding(embed_dim, max_len=seq_length)
        self.b = nn.ModuleList([TransformerBlock(embed_dim, num_heads) for _ in range(depth)])
        self.o = nn.Linear(embed_dim, num_classes, bias=True)

    def forward(self, input_ids, attention_mask):
        real = attention_mask.ne(0)
        x = self.p(self.e(input_ids).mul(self.root))
        for block in self.b:
            x = block(x, real)
        x = x.masked_fill(real.logical_not()[:, :, None], float("nan"))
        return self.o(x.nanmean(dim=1)).log_softmax(dim=1)


# %% evaluate
def evaluate(model, loader):
    state = model.training
    total = torch.zeros(2, dtype=torch.float64)
    count = 0
    try:
        model.eval()
        with torch.no_grad():
            for batch in loader:
                found = model(batch["input_ids"], batch["attention_mask"])
                labels = batch["labels"].unsqueeze(1)
                best = found.sort(dim=1, descending=True).indices[:, :1]
                total[0] -= found.gather(1, labels).double().sum()
                total[1] += (best == labels).sum()
                count += len(labels)
    finally:
        model.train(state)
    loss, accuracy = (total / count).tolist()
    return loss, accuracy
