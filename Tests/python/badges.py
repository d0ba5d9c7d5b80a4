"""Where the page's badges stand."""

#: In the page: the badges that stand for something, without those of the repeated world.
BADGES = ".badge[data-count]:not([data-copy]):not(.is-gone)"
