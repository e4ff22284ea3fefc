"""Spares a process that has no URI to check a grammar of URIs; imported before all else there.

jsonschema, on which nbformat and jupyter rest, makes that grammar whenever it is imported, which
takes as long as importing torch. Without the package `rfc3987_syntax` it does not check the formats
"iri" and "iri-reference", which the schema of notebooks does not have.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
