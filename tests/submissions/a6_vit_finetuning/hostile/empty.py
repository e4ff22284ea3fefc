"""Hands in the notebook as it was released.

score: 0
empty: true
"""
