// Sources: ../../Original/Sources/BookmarksTestsUtils
