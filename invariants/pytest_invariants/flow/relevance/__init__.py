"""What a function may lead to, told from its text: whom it is worth following."""
