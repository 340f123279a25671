// Sources: ../../ReadingList
