"""From activations to findings: proofs, refutations, doors, and who else decides."""
