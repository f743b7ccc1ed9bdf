"""`invariants init`: read a code base, and propose the registry that it lacks, with the evidence for each row."""
