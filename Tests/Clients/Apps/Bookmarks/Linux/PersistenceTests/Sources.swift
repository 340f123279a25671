// Sources: ../../Original/Tests/PersistenceTests
