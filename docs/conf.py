"""Sphinx's configuration: `make docs` builds these pages into .cache/docs."""

project = "Transformers"
author = "the course's authors"
extensions = ["myst_parser"]
exclude_patterns = ["examples"]
templates_path = ["_templates"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = "Transformers, auto-graded"
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}  # they stand outside of every landmark

linkcheck_ignore = [r"https://docs\.github\.com/"]  # it turns away what is no browser
