"""Collections: what is in them, and what drawing, looking up and changing them does."""
