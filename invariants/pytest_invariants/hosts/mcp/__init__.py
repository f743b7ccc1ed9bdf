"""Any MCP server, in any language: connects to it as a client does, and writes down what it answers.

Nothing is judged here; the invariants of the catalogue read what was seen (`seen.Seen`).
"""
