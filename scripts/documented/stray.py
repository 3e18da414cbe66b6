# SPDX-License-Identifier: Apache-2.0
"""Finds measured figures in documents that no block writes: numbers with a unit, ratios, shares, and decimals."""
import re

from documented.exceptions import EXCEPTIONS

NUMBER = r"(?<![\w.^/])\d[\d,.]*(?:·10\^−?\d+)?"
UNITS = (r"%|per cent|[mµnp]?s|min|hours?|minutes?|(?:milli|micro|nano)?seconds?|clocks|[kMGT]?Hz|[kMGT]?B(?:/s)?|million|billion"
         r"|[×x]|times (?:as|more|less|longer|faster|slower)|(?:elements|bytes|predictions|executions|words)(?: a | per |/)")
FIGURE = re.compile(rf"{NUMBER}(?:\*\*)? ?(?:{UNITS})(?![\w^])|{NUMBER} of (?:the )?{NUMBER}|(?<![\w.§])\d+\.\d+(?![\w.])")
OUTSIDE = (r"<!-- figures [\w-]+ -->.*?<!-- end -->", r"^```.*?^```", r"^    .*?$", r"`[^`]+`", r"\]\([^)]*\)")


def blanked(text, pattern):
    """The text with spaces for what the pattern matches; lines stay."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.MULTILINE | re.DOTALL)


def stray(document, text):
    """Line number and text of each figure outside of blocks, code, links and exceptions; and exceptions of which nothing is left."""
    for outside in OUTSIDE:
        text = blanked(text, outside)
    for where, literal, _ in EXCEPTIONS:
        if where in (document, "*"):
            pattern = r"\s+".join(map(re.escape, literal.split()))
            if where == document and not re.search(pattern, text):
                yield 1, f"exception '{literal}' is not in it"
            text = blanked(text, pattern)
    for number, line in enumerate(text.splitlines(), 1):
        for match in FIGURE.finditer(line):
            yield number, match.group()
