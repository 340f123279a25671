// Sources: ../../ReadingListTests
