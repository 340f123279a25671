// Sources: ../../Original/Tests/BookmarksTests
