"""Objects, classes and modules: attributes, construction, special methods, reflection."""
