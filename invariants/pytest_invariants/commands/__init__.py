"""What the commands do, one module a command: each takes what the user chose and returns the exit status."""
