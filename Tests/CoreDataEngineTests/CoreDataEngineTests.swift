// CoreDataEngineTests
