// CoreDataSQLiteTests
