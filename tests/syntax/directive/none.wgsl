// A text of comments alone is a module.
