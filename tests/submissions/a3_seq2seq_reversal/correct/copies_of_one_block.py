"""Makes a stack of deep copies of one block, and lets sequences that have ended leave the batch.

score: 95
"""

# %% encoder_block
import copy


class SublayerConnection(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)

    def forward(self, x, sublayer):
        return self.norm(x + sublayer(x))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(inplace=True), nn.Linear(d_ff, d_model)
        )
        self.sublayer = nn.ModuleList(SublayerConnection(d_model) for _ in range(2))

    def forward(self, x, mask=None):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask)[0])
        return self.sublayer[1](x, self.feed_forward)


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.d_model = d_model
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.src_attn = copy.deepcopy(self.self_attn)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.sublayer = nn.ModuleList(SublayerConnection(d_model) for _ in range(3))

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, self_mask)[0])
        x = self.sublayer[1](x, lambda x: self.src_attn(x, memory, memory, cross_mask)[0])
        return self.sublayer[2](x, self.feed_forward)


# %% transformer
def clones(module, count):
    return nn.ModuleList(copy.deepcopy(module) for _ in range(count))


class Encoder(nn.Module):
    def __init__(self, layer, count):
        super().__init__()
        self.layers = clones(layer, count)

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, mask)
        return x


class Decoder(nn.Module):
    def __init__(self, layer, count):
        super().__init__()
        self.layers = clones(layer, count)

    def forward(self, x, memory, src_mask, tgt_mask):
        for layer in self.layers:
            x = layer(x, memory, tgt_mask, src_mask)
        return x


class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(EncoderBlock(d_model, num_heads, d_ff), num_layers)
        self.decoder = Decoder(DecoderBlock(d_model, num_heads, d_ff), num_layers)
        self.src_embed = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.tgt_embed = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.position = PositionalEncoding(d_model)
        self.generator = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        return self.encoder(self.position(self.src_embed(src)), padding_mask(src, self.pad_id))

    def decode(self, tgt, memory, src):
        tgt_mask = padding_mask(tgt, self.pad_id) & causal_mask(tgt.size(-1)).to(tgt.device)
        x = self.position(self.tgt_embed(tgt))
        x = self.decoder(x, memory, padding_mask(src, self.pad_id), tgt_mask)
        return self.generator(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        out = [[] for _ in src]
        alive = list(range(len(src)))
        tgt = torch.full((len(src), max_len + 1), bos_id, dtype=src.dtype, device=src.device)
        for t in range(1, max_len + 1):
            if not alive:
                break
            logits = model.decode(tgt[alive, :t], memory[alive], src[alive])
            tgt[alive, t] = torch.max(logits[:, t - 1], dim=-1).indices
            for n in list(alive):
                token = int(tgt[n, t])
                if token == eos_id:
                    alive.remove(n)
                else:
                    out[n].append(token)
    return out
