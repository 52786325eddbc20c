"""The absence of a document: `walk` finds the stage that lost it, `searches` and `structure` why."""
