"""The status space: every state an operator can write, and the proof that each reads as exactly one status (floor 3).

A *model* says what varies about one object (:mod:`.model`); without one it is derived (:mod:`.derived`). Either gives
a *space* (:mod:`.space`), whose states are numbered. A *proof* (:mod:`.proof`) reads the status of all of them, or of
a sample (:mod:`.covering`), and the *properties* (:mod:`.properties`) are asked of it.

What no enumeration reaches is searched: *strategies* draw whole objects, also beyond the model (:mod:`.strategies`), a
*judge* says what is wrong with any of them (:mod:`.judging`), and a *search* makes it small (:mod:`.fuzzing`), for one
definition after the other (:mod:`.campaign`).
"""
