"""What is known on one path: terms, values, the state, and what comes of a statement."""
