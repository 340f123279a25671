// Nothing but a comment with @objc and #keyPath(Book.title).
/* and
another */
