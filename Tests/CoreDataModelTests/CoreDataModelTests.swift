// CoreDataModelTests
