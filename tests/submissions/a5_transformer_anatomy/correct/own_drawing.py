"""Adds cells that draw and translate with the given functions, as the essay asks for.

score: 95
"""

# %% after essay-text
draw_layer("The dog takes the flower because it is happy.", 2)
tokens, maps = self_attention_maps("The dog takes the flower because it is happy.")
print(tokens, maps.shape)

# %% after attention_essay
print(translate("The dog takes the flower because it is happy."))
