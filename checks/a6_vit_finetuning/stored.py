"""A small model in a folder, and what `load_model` makes of it."""

from __future__ import annotations

from typing import Any

from autograder.checking import probe


@probe(silent=True)
def loaded(answers: Any, labels: str, images: Any) -> dict[str, Any]:
    import json
    import tempfile

    import torch
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(
        image_size=12,
        patch_size=6,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=3,
    )
    stored = ViTForImageClassification(config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in stored.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    names = labels.split()
    with tempfile.TemporaryDirectory() as folder:
        stored.save_pretrained(folder)
        torch.manual_seed(4)
        model = answers.load_model(folder, names)
        other = answers.load_model(folder, list(names))
    if not isinstance(model, ViTForImageClassification):
        return {"is_vit": False}
    config, head = model.config, model.classifier
    keyed = [(key, str(key), name) for key, name in config.id2label.items()]
    weight, bias = getattr(head, "weight", None), getattr(head, "bias", None)
    own = [part.detach().flatten() for part in (weight, bias) if part is not None]
    old = torch.cat([part.detach().flatten() for part in stored.classifier.parameters()])
    side = (config.image_size, config.image_size)
    sized = torch.nn.functional.interpolate(images, side)
    body = torch.cat([parameter.flatten() for parameter in model.vit.parameters()])
    given = sized.to(body.dtype)
    logits, in_training = model.eval()(given).logits, model.train()(given).logits
    fits = body.shape == (sum(part.numel() for part in stored.vit.parameters()),)
    return {
        "is_vit": True,
        "head": weight,
        **({} if bias is None else {"bias": bias}),
        "other_head": getattr(other.classifier, "weight", None),
        "of the file": any(bool(torch.isin(part, old).any()) for part in own),
        "body": body if fits else torch.zeros(1),
        "logits": logits,
        "steady": logits.shape == in_training.shape and torch.allclose(logits, in_training),
        "id2label": json.dumps([[type(key).__name__, *pair] for key, *pair in keyed]),
        "label2id": json.dumps(config.label2id),
        "frozen": sum(not parameter.requires_grad for parameter in model.parameters()),
        "kept": names == labels.split(),
    }
