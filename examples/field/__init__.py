"""The parts of the field report: the pinned sources, the expected answers, the measuring child and the page."""
