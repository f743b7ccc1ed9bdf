"""The harness tried on the user's own code: doors are opened in a copy, one at a time, and each has to be noticed.

A *question* is a place where a proof hangs: the seal asked at some line. An *operator* spoils a question as people do
by mistake. A *mutant* is the code with one question spoiled by one operator; it is *killed* at a surface when the
harness no longer lets the surface pass. Only a copy is ever changed.
"""
