// Sources: ../../Original/Tests/BookmarksTests
// Except: BookmarkMigrationTests.swift
// It reads databases of old versions of the app, which are not among the sources.
