"""Makes the layers of every module in another order than the text.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.o = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.q = nn.Linear(d_model, d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        def heads(x):
            return x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)

        v, k, q = heads(self.v(x_v)), heads(self.k(x_k)), heads(self.q(x_q))
        mixed, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.o(mixed.transpose(1, 2).contiguous().view(x_q.shape)), attention


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm2 = nn.LayerNorm(d_model)
        self.second = nn.Linear(d_ff, d_model)
        self.first = nn.Linear(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)

    def forward(self, x, mask=None):
        x = self.norm1(self.attention(x, x, x, mask=mask)[0] + x)
        return self.norm2(self.second(torch.relu(self.first(x))) + x)


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.second = nn.Linear(d_ff, d_model)
        self.first = nn.Linear(d_model, d_ff)
        self.to_memory = MultiHeadAttention(d_model, num_heads)
        self.to_itself = MultiHeadAttention(d_model, num_heads)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norms[0](x + self.to_itself(x_q=x, x_k=x, x_v=x, mask=self_mask)[0])
        x = self.norms[1](x + self.to_memory(x_q=x, x_k=memory, x_v=memory, mask=cross_mask)[0])
        return self.norms[2](x + self.second(self.first(x).clamp(min=0)))


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.head = nn.Linear(d_model, vocab_size)
        self.decoders, self.encoders = nn.ModuleList(), nn.ModuleList()
        for _ in range(num_layers):
            self.decoders.append(DecoderBlock(d_model, num_heads, d_ff))
            self.encoders.append(EncoderBlock(d_model, num_heads, d_ff))
        self.tgt = nn.Sequential(
            nn.Embedding(vocab_size, d_model, padding_idx=pad_id), PositionalEncoding(d_model)
        )
        self.src = nn.Sequential(
            nn.Embedding(vocab_size, d_model, padding_idx=pad_id), PositionalEncoding(d_model)
        )
        self.pad_id = pad_id

    def encode(self, src):
        memory, mask = self.src(src), padding_mask(src, self.pad_id)
        for encoder in self.encoders:
            memory = encoder(memory, mask)
        return memory

    def decode(self, tgt, memory, src):
        x = self.tgt(tgt)
        mask = padding_mask(tgt, self.pad_id)
        mask = mask & causal_mask(tgt.size(1)).to(mask.device)
        for decoder in self.decoders:
            x = decoder(x, memory, self_mask=mask, cross_mask=padding_mask(src, self.pad_id))
        return self.head(x)

    def forward(self, src, tgt):
        memory = self.encode(src)
        return self.decode(tgt, memory, src)
