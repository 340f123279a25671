// Sources: ../../Original/Sources/Bookmarks
