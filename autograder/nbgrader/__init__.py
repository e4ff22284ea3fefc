"""The engine as nbgrader's plugins: preprocessors, late penalties, exporters."""
