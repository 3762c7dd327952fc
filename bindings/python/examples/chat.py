# SPDX-License-Identifier: Apache-2.0
"""Text from a model: chat.py MODEL.gguf [PROMPT]"""
import sys

import weft

if len(sys.argv) < 2:
    sys.exit(__doc__)
model = weft.model.Model(sys.argv[1])
prompt = " ".join(sys.argv[2:]) or "Once upon a time"
print(prompt, end="")
with model.session() as session:
    for piece in session.stream(prompt, max_tokens=100):
        print(piece, end="", flush=True)
print()
