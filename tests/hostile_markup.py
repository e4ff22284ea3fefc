"""Markup that runs a script in a browser, by name; `{js}` stands for the script.

LIVE holds what runs in a plain page of today's Chromium (links when they are clicked), QUIET what
ran elsewhere, or would fetch, navigate or pose as a part of the page.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

LIVE = {
    "script": "<script>{js}</script>",
    "image-error": '<img src=x onerror="{js}">',
    "svg-load": '<svg onload="{js}"></svg>',
    "svg-script": "<svg><script>{js}</script></svg>",
    "details-toggle": '<details open ontoggle="{js}"><summary>x</summary></details>',
    "link": '<a href="javascript:{js}">x</a>',
    "link-with-a-tab": '<a href="java&#9;script:{js}">x</a>',
    "link-in-entities": '<a href="&#x6A;avascript&colon;{js}">x</a>',
    "svg-link": '<svg><a href="javascript:{js}"><text>x</text></a></svg>',
    "frame-with-a-document": '<iframe srcdoc="<script>{js}</script>"></iframe>',
    "frame-with-a-script": '<iframe src="javascript:{js}"></iframe>',
    "unclosed-tag": '<div><img src=x onerror="{js}" <p>',
    "comment-trick": '<!--><img src=x onerror="{js}">-->',
    "noscript-title": '<noscript><p title="</noscript><img src=x onerror={js}>"></noscript>',
    "style-in-svg": '<svg></p><style><g title="</style><img src=x onerror={js}>"></svg>',
    "animated-link": '<svg><a><animate attributeName=href values="javascript:{js}" />'
    "<text>x</text></a></svg>",
    "media-error": '<video><source onerror="{js}"></video>',
}

QUIET = {
    "style-in-math": "<math><mtext><table><mglyph><style><math><img src=x onerror={js}>",
    "data-frame": '<iframe src="data:text/html,<script>{js}</script>"></iframe>',
    "data-link": '<a href="data:text/html,<script>{js}</script>">x</a>',
    "object": '<object data="javascript:{js}"></object>',
    "embed": '<embed src="data:text/html,<script>{js}</script>">',
    "form": '<form action="javascript:{js}"><button autofocus>x</button></form>',
    "focus": '<input autofocus onfocus="{js}">',
    "refresh": '<meta http-equiv="refresh" content="0;url=javascript:{js}">',
    "base": '<base href="http://127.0.0.1:9/">',
    "style-sheet": '<style>@import "http://127.0.0.1:9/";</style>',
    "link-element": '<link rel="stylesheet" href="http://127.0.0.1:9/">',
    "style-expression": '<p style="color: expression({js})">x</p>',
    "style-url": "<p style=\"background: url('javascript:{js}'); background-color: url(x)\">x</p>",
    "style-overlay": '<p style="position: fixed; inset: 0; z-index: 9">x</p>',
    "foreign-picture": '<img src="http://127.0.0.1:9/pixel.png">',
    "svg-picture": '<img src="data:image/svg+xml,<svg onload={js}>">',
    "template": "<template><script>{js}</script></template>",
    "nested-tags": "<scr<script>ipt>{js}</scr</script>ipt>",
    "nul": "<scr\0ipt>{js}</scr\0ipt>",
    "clobbering": '<img id="check_attention" name="submission_id">',
    "tooltip-gadget": '<b data-toggle="tooltip" data-html="true" title="<img src=x onerror={js}>">',
    "button-of-the-page": '<b class="btn full-credit" onclick="{js}">x</b>',
    "file-beside-the-page": '<a href="evil.html">x</a>',
    "files-prefix": '<a href="files/javascript:{js}">x</a>',
}

MARKDOWN = {
    "md-link": "[x](javascript:{js})",
    "md-files-link": "[x](files/javascript:{js})",
    "md-reference": "[x][r]\n\n[r]: javascript:{js}",
    "md-autolink": "<javascript:{js}>",
    "md-html": 'a <img src=x onerror="{js}"> b',
    "md-block": "<script>\n{js}\n</script>",
    "md-picture": '![x](x"onerror="{js})',
    "md-picture-text": '![x" onerror="{js}](x.gif "y\\" onerror=\\"{js}")',
    "md-mermaid": "```mermaid\n</pre><script>{js}</script>\n```",
    "md-fence": '```"><script>{js}</script>\nx\n```',
    "md-formula": "$</p><script>{js}</script>$ and $$\n<script>{js}</script>$$",
    "md-heading": "# <script>{js}</script> x",
    "md-attachment": "![x](attachment:a.png) ![x](attachment:missing.png)",
}

SVG = """<?xml version="1.0"?>
<?xml-stylesheet href="http://127.0.0.1:9/"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
     width="40" height="20" onload="{js}">
  <script>{js}</script>
  <style>@import url(http://127.0.0.1:9/);</style>
  <foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="{js}" /></foreignObject>
  <a xlink:href="javascript:{js}"><text>x</text></a>
  <animate attributeName="href" to="javascript:{js}" />
  <image href="http://127.0.0.1:9/" /> <use xlink:href="data:image/svg+xml,x" />
  <rect id="r" width="20" height="10" style="fill: url(http://127.0.0.1:9/)" />
  <rect id="s" width="20" height="10" fill="#aa0000" clip-path="url(#c)" />
</svg>"""

PIXEL = (  # a PNG, in base64
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def armed(payload: str, name: str) -> str:
    """The payload with a script that marks the outermost document as `ran-<name>`."""
    script = f"top.document.documentElement.setAttribute('ran-{name}',1)"
    return payload.replace("{js}", script)


HOSTILE = {name: armed(payload, name) for name, payload in {**LIVE, **QUIET}.items()}
HOSTILE_MARKDOWN = {name: armed(payload, name) for name, payload in MARKDOWN.items()}


ACTIVE = {
    *("applet", "base", "button", "embed", "form", "frame", "iframe", "input", "link", "math"),
    *("meta", "object", "script", "style", "svg", "template", "textarea", "video"),
}
POSING = {"id", "name", "action", "formaction", "srcdoc", "target", "http-equiv"}
SAFE_URL = re.compile(r"(https?://|mailto:|#|data:image/(png|jpeg|gif|webp);base64,)|[\w /]+\.\w+$")


class _Findings(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ACTIVE:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            outward = name in ("href", "src") and not SAFE_URL.match(value or "")
            if name in POSING or name.startswith(("on", "data-")) or outward:
                self.found.append(f"{name}={value}")
            if name == "style" and re.search(r"url|position|expression", value or ""):
                self.found.append(f"{name}={value}")


def findings(markup: str) -> list[str]:
    """What in a piece of HTML could run, fetch or pose as a part of the page."""
    parser = _Findings()
    parser.feed(markup)
    return parser.found


def marks(dom: str) -> set[str]:
    """The names of the payloads whose script ran in a dumped page."""
    return set(re.findall(r"ran-([\w-]+)=", dom[: dom.index("<body")]))
