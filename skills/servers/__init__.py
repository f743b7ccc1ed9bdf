"""MCP servers that run as processes of their own. What they serve belongs to the skill that claims their namespace."""
