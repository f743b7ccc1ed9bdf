"""What an MCP server promises by speaking the protocol, whatever language it is written in."""
