"""The seal: its answers, the capabilities that they cover, and where a principal comes from."""
